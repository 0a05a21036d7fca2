/** The path of the reference, below its API. */
export const referencePath = '/docs/'

/** The id of its view. */
export const referenceId = 'reference'
