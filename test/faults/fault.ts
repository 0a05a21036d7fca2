// A fault injection test: something that happens to a running service, and what the service promises then. Each fault
// is one file with a default export. `run.ts` runs them one by one and writes their findings to docs/reliability.md.

/** `run` injects the fault into a real service, and throws if the promise is broken. */
export interface Fault<Scale = unknown> {
  /** A short name, such as `kill -9 during writes`. */
  readonly name: string
  /** The promise that the service keeps despite the fault, in one sentence. */
  readonly promise: string
  /** How often the fault is injected, how long it lasts and what else takes time: usually, and with `--short`. */
  readonly scale: { readonly full: Scale; readonly short: Scale }
  /** Returns the finding, one sentence with figures. Throws `Skip` if this machine cannot inject the fault. */
  readonly run: (scale: Scale) => Promise<string>
}

/** This machine cannot inject the fault; the message names the missing feature. */
export class Skip extends Error {
  override name = 'Skip'
}

export const defineFault = <Scale>(fault: Fault<Scale>): Fault<Scale> => Object.freeze(fault)
