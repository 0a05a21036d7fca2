// What happens to a running service, and what it promises then. One file per fault, whose default export is the fault;
// `run.ts` runs them one after the other and writes their findings down.

/** A fault: `run` does it to a real service and throws where the promise is broken. */
export interface Fault {
  /** In a few words: `kill -9 during writes`. */
  readonly name: string
  /** What holds all the same, in one sentence. */
  readonly promise: string
  /** Answers what was seen, in one sentence with figures. Throws `Skip` where this machine cannot do it. */
  readonly run: () => Promise<string>
}

/** This machine cannot do this to a service; the message says what it lacks. */
export class Skip extends Error {
  override name = 'Skip'
}

export const defineFault = (fault: Fault): Fault => Object.freeze(fault)
