/** Screens that are loaded on demand, bundled as one script with their styles. */
import { wear } from "./style.ts";
import applies from "./style/applies.css" with { type: "text" };
import files from "./style/files.css" with { type: "text" };
import views from "./style/views.css" with { type: "text" };

export { Keys as KeysHelp } from "./parts/keys_help.tsx";
export { ProofDialog } from "./parts/proof_dialog.tsx";
export { Undeclared } from "./parts/undeclared.tsx";
export { Bulk } from "./parts/bulk.tsx";
export { NoProjects } from "./parts/no_projects.tsx";
export { RemoveDialog } from "./parts/remove_dialog.tsx";
export { Lately } from "./screens/overview/lately.tsx";
export { Units } from "./screens/overview/units.tsx";
export { Measured } from "./screens/containers/measured.tsx";
export { Apply } from "./screens/apply/apply.tsx";
export { FolderPlan, Plan } from "./screens/apply/plan.tsx";
export { Plans } from "./screens/apply/plans.tsx";
export { Audit } from "./screens/audit/audit.tsx";
export { Disk } from "./screens/disk/disk.tsx";
export { Events } from "./screens/events/events.tsx";
export { Folders } from "./screens/folders/folders.tsx";
export { Images } from "./screens/images/images.tsx";
export { Logs } from "./screens/logs/logs.tsx";
export { NewProject } from "./screens/new_project/new_project.tsx";
export { Networks } from "./screens/networks/networks.tsx";
export { Project } from "./screens/project/project.tsx";
export { Engines } from "./screens/settings/engines.tsx";
export { Keys } from "./screens/settings/keys.tsx";
export { People } from "./screens/settings/people.tsx";
export { Registries } from "./screens/registries/registries.tsx";
export { Sessions } from "./screens/settings/sessions.tsx";
export { Volumes } from "./screens/volumes/volumes.tsx";
export { Workspace } from "./screens/workspace/workspace.tsx";
export { Container } from "./screens/container/container.tsx";
export { SetPassword } from "./screens/set_password/set_password.tsx";
export { Setup } from "./screens/setup/setup.tsx";

wear([files, views, applies]);
