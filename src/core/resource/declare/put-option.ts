/** Whether a PUT must contain all required fields (`whole`), or keeps the fields that its body does not contain (`partial`). */
export type PutOption = 'whole' | 'partial'

/** Throws for another value. `label` begins the message. */
export function checkPut(label: string, put: PutOption | undefined): void {
  if (put !== undefined && put !== 'whole' && put !== 'partial')
    throw new Error(`${label} must be 'whole' or 'partial'`)
}
