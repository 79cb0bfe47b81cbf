/**
 * Holds the client's types equal to the server's schemas: nothing here runs, a difference does not compile.
 * After a change to a schema or a route, `deno task endpoints` brings the client up to it.
 */
import type * as z from "zod";
import type * as report from "../../artifacts/report/artifact_shape.ts";
import type { Diagnostic, Report } from "../../artifacts/report/report_shape.ts";
import type { Dag, DagEdge, DagNode } from "../../artifacts/drawing/dag_shape.ts";
import type { UnitLive } from "../../artifacts/live/live.ts";
import type * as access from "../../core/access.ts";
import type * as workspace from "../../core/workspace.ts";
import type { Container } from "../../engines/rows/container.ts";
import type { PullProgress, PullResult } from "../../plugins/containers/images/pull.ts";
import type { Image } from "../../engines/rows/image.ts";
import type { Network } from "../../engines/rows/network.ts";
import type { Sample } from "../../plugins/containers/stats/stats_feed.ts";
import type { Volume } from "../../engines/rows/volume.ts";
import type { ContainerPermission } from "../../plugins/containers/backends/permissions.ts";
import type { ServicePermission } from "../../plugins/swarm/errors.ts";
import type { UnitPermission } from "../../plugins/systemd/plugin.ts";
import type * as client from "@berth/client/berth";

/** `T` with every property read-only and no `undefined` that can be left out: in these the two may differ. */
type Fixed<T> = T extends readonly (infer Item)[] ? readonly Fixed<Item>[]
  : T extends object ? { readonly [Key in keyof T]: Fixed<Exclude<T[Key], undefined>> }
  : T;

/** True only for two types of the same shape, optional keys included. */
export type Same<A, B> = (<T>() => T extends Fixed<A> ? 1 : 2) extends (<T>() => T extends Fixed<B> ? 1 : 2)
  ? true
  : false;

type AnyPermission = access.CorePermission | ContainerPermission | ServicePermission | UnitPermission;

/** Compiles for `true` only; what does not is named by its key. */
export type Held<Checks extends { readonly [Name in keyof Checks]: true }> = Checks;

/** Answers are what the schemas give, payloads what they take. */
export type Pinned = Held<{
  Workspace: Same<client.Workspace, z.output<typeof workspace.Workspace>>;
  WorkspaceDetail: Same<client.WorkspaceDetail, z.output<typeof workspace.WorkspaceDetail>>;
  NewWorkspace: Same<client.NewWorkspace, z.input<typeof workspace.NewWorkspace>>;
  Principal: Same<
    client.Principal,
    Omit<z.output<typeof access.Principal>, "permissions" | "grants"> & {
      permissions: readonly AnyPermission[];
      grants: readonly (Omit<access.HeldGrant, "permissions"> & { permissions: readonly AnyPermission[] })[];
    }
  >;
  Permission: Same<client.Permission, AnyPermission>;
  Role: Same<client.Role, z.output<typeof access.Role>>;
  ArtifactSummary: Same<client.ArtifactSummary, z.output<typeof report.ArtifactSummary>>;
  GroupDetail: Same<client.GroupDetail, z.output<typeof report.GroupDetail>>;
  UnitDetail: Same<client.UnitDetail, z.output<typeof report.UnitDetail>>;
  CardDetail: Same<client.CardDetail, z.output<typeof report.CardDetail>>;
  Report: Same<client.Report, z.output<typeof Report>>;
  Diagnostic: Same<client.Diagnostic, z.output<typeof Diagnostic>>;
  Dag: Same<client.Dag, z.output<typeof Dag>>;
  DagNode: Same<client.DagNode, z.output<typeof DagNode>>;
  DagEdge: Same<client.DagEdge, z.output<typeof DagEdge>>;
  UnitLive: Same<client.UnitLive, z.output<typeof UnitLive>>;
  Container: Same<client.Container, z.output<typeof Container>>;
  Image: Same<client.Image, z.output<typeof Image>>;
  PullProgress: Same<client.PullProgress, z.output<typeof PullProgress>>;
  PullResult: Same<client.PullResult, z.output<typeof PullResult>>;
  Volume: Same<client.Volume, z.output<typeof Volume>>;
  Network: Same<client.Network, z.output<typeof Network>>;
  StatsSample: Same<client.StatsSample, Sample>;
}>;

/** The rule itself is held: it lets no difference through. */
export type Tested = Held<[
  Same<{ readonly a: string }, { a: string }>,
  Same<{ a: string[] }, { a: readonly string[] }>,
  Same<Same<{ a?: string }, { a: string }>, false>,
  Same<Same<{ a?: string }, Record<never, never>>, false>,
  Same<Same<{ a: string }, { a: string | null }>, false>,
  Same<Same<{ a: { b: 1 }[] }, { a: { b: 2 }[] }>, false>,
]>;
