/**
 * The database is missing or cannot be used in its present state. The message names the database and the fix, and
 * contains no secret. Thrown when a database is opened or migrated, never during a request.
 */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase'
}
