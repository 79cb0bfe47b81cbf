/** The security option that leaves no path of the system masked or read-only; engines are asked for empty lists. */
export const UNMASKED = "systempaths=unconfined";
