/**
 * The database cannot be used as it is, or is not there: what to do is in the message, which names it and holds no
 * secret. Thrown where a database is opened or brought to the newest form, never during a request.
 */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase'
}
