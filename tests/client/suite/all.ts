/** All promises that hold on every runtime, gathered. */
import "./url_cases.ts";
import "./exchange_cases.ts";
import "./time_cases.ts";
import "./auth_cases.ts";
import "./tls_cases.ts";
import "./stream_cases.ts";
import "./connect_cases.ts";
export { type Ground, promises } from "./ground.ts";
