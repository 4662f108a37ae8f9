/** The states that may follow each state. */
export type Transitions<S extends string> = { readonly [From in S]: readonly S[] };

/** Throws an Error if a state may not follow another one: then two pieces of work have run at the same time. */
export function assertTransition<S extends string>(transitions: Transitions<S>, from: S, to: S): void {
  if (!transitions[from].includes(to)) throw new Error(`${to} cannot follow ${from}`);
}
