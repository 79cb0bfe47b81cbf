/** Which berth this is: the one place that says so besides `deno.json`, and a test holds the two together. */
export const VERSION = "0.1.0";
