/** A data file is invalid; the message begins with the path of the value, such as `users[3].email`. */
export class DataError extends Error {
  override name = 'DataError'
}
