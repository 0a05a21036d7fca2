/** An error whose message is all that the user has to read. */
export class NewError extends Error {}
