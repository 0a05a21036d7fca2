/** A step of a migration threw an error, which is the cause. Its transaction has been rolled back. */
export class FailedMigration extends Error {
  override name = 'FailedMigration'

  constructor(owner: string, step: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`the step "${step}" of the migrations of "${owner}" failed: ${reason}`, { cause })
  }
}
