/** Checks the whole WebSocket request: a bad one would fail in the upgrade as if it were our fault. */
import { ServiceError } from "../../core/error.ts";

/** @throws ServiceError that says what is missing; only a GET may open a socket. */
export function mustBeHandshake({ method, headers }: Request): void {
  if (method !== "GET") {
    throw new ServiceError(
      "method_not_allowed",
      `${method} is not supported here: this is a WebSocket; use GET`,
      {
        headers: { allow: "GET" },
      },
    );
  }
  if (!names(headers.get("upgrade"), "websocket") || !names(headers.get("connection"), "upgrade")) {
    throw new ServiceError(
      "upgrade_required",
      "This route is a WebSocket; connect to it with ws:// or wss://",
      {
        headers: { upgrade: "websocket" },
      },
    );
  }
  if (headers.get("sec-websocket-version") !== "13") {
    throw new ServiceError("upgrade_required", "Unknown WebSocket version; use version 13", {
      headers: { upgrade: "websocket", "sec-websocket-version": "13" },
    });
  }
  if (!KEY.test(headers.get("sec-websocket-key") ?? "")) {
    throw new ServiceError("invalid_request", 'Invalid "Sec-WebSocket-Key"; send 16 bytes in base64', {
      errors: [{ path: "headers.sec-websocket-key", message: "Expected 16 bytes in base64" }],
    });
  }
}

const KEY = /^[A-Za-z0-9+/]{22}==$/;

function names(list: string | null, token: string): boolean {
  return list?.toLowerCase().split(",").some((one) => one.trim() === token) ?? false;
}
