/** Access and refresh tokens: JWTs under one algorithm, each useless in the other's place. */
import type { JWTPayload } from "jose";
import type { Clock } from "../clock.ts";
import { ALGORITHM, type SigningKeys } from "./signing_keys.ts";

const ISSUER = "berth";
/** No token of ours comes near it; what does is not worth a signature check. */
const MAX_CHARACTERS = 2_048;
/** The seconds that a clock may have been set back since a token was issued. */
const MAX_FUTURE_S = 60;

export const ACCESS_S = 5 * 60;

const KINDS = {
  access: { typ: "at+jwt", audience: "berth:access" },
  refresh: { typ: "refresh+jwt", audience: "berth:refresh" },
} as const;
type TokenKind = keyof typeof KINDS;

interface TokenContent {
  /** The account. */
  readonly subject: string;
  readonly session: string;
  /** A random id: what makes a refresh token unguessable to a reader of the store. */
  readonly id: string;
  readonly expiresAt: number;
}

export class Tokens {
  readonly #keys: SigningKeys;
  readonly #clock: Clock;

  constructor({ keys, clock }: { readonly keys: SigningKeys; readonly clock: Clock }) {
    this.#keys = keys;
    this.#clock = clock;
  }

  async sign(kind: TokenKind, content: TokenContent): Promise<string> {
    const { SignJWT } = await import("jose");
    const { kid, key } = await this.#keys.signer();
    const { typ, audience } = KINDS[kind];
    return await new SignJWT({ sid: content.session })
      .setProtectedHeader({ alg: ALGORITHM, typ, kid })
      .setIssuer(ISSUER)
      .setAudience(audience)
      .setSubject(content.subject)
      .setJti(content.id)
      .setIssuedAt(Math.floor(this.#clock.now() / 1000))
      .setExpirationTime(Math.floor(content.expiresAt / 1000))
      .sign(key);
  }

  /** The content of a token of this kind; null for any other, without a reason. */
  async verify(kind: TokenKind, token: string): Promise<TokenContent | null> {
    if (token.length > MAX_CHARACTERS) return null;
    const { jwtVerify, errors } = await import("jose");
    const { typ, audience } = KINDS[kind];
    const now = this.#clock.now();
    try {
      const { payload } = await jwtVerify(token, async (header) => {
        // Exactly what we write: no `jwk`, `jku`, `x5u`, `crit` or whatever comes next is even looked at.
        if (Object.keys(header).sort().join() !== "alg,kid,typ" || typeof header.kid !== "string") {
          throw new errors.JWSInvalid();
        }
        const key = await this.#keys.verifier(header.kid);
        if (key === null) throw new errors.JWKSNoMatchingKey();
        return key;
      }, {
        algorithms: [ALGORITHM],
        typ,
        issuer: ISSUER,
        audience,
        requiredClaims: ["exp", "iat", "sub", "sid", "jti"],
        currentDate: new Date(now),
      });
      return contentOf(payload, audience, now / 1000);
    } catch (thrown) {
      if (thrown instanceof errors.JOSEError || thrown instanceof TypeError) return null;
      throw thrown;
    }
  }
}

function contentOf(payload: JWTPayload, audience: string, nowS: number): TokenContent | null {
  const { sub, sid, jti, exp, iat, aud } = payload;
  if (typeof sub !== "string" || typeof sid !== "string" || typeof jti !== "string") return null;
  if (typeof exp !== "number" || typeof iat !== "number" || iat > nowS + MAX_FUTURE_S) return null;
  // jose takes an audience among several; ours is always the only one.
  if (aud !== audience) return null;
  return { subject: sub, session: sid, id: jti, expiresAt: exp * 1000 };
}
