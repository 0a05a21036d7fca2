/** What a PUT does with fields that its body does not contain: it refuses or keeps them. */
export type PutOption = 'whole' | 'partial'

/** Throws for another value. `label` begins the message. */
export function checkPut(label: string, put: PutOption | undefined): void {
  if (put !== undefined && put !== 'whole' && put !== 'partial')
    throw new Error(`${label} must be 'whole' or 'partial'`)
}
