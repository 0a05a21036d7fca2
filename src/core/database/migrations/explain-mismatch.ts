// Says why the steps of a program do not fit those that a database has applied, and what to do about it.

import type { Mismatch } from './compare.ts'

/** Returns a sentence with the way out. `obstacle`: why the step cannot be taken back, which `migrate` has tried. */
export function explainMismatch(mismatch: Mismatch, obstacle?: string): string {
  const { owner, step } = mismatch
  const { problem, advice } = describeKind(mismatch)
  const start = `the database has applied the step "${step}" of "${owner}"${formatTime(mismatch)}, which ${problem}`
  return obstacle === undefined
    ? `${start}: ${advice}`
    : `${start} and cannot be taken back, because ${obstacle}: ${advice}; or use a new database`
}

function describeKind({ owner, step, kind, newName }: Mismatch): { readonly problem: string; readonly advice: string } {
  switch (kind) {
    case 'changed':
      return {
        problem: 'has changed since then',
        advice: `undo the change and write a new step; or, if the step still does the same, accept it with migrate --accept ${owner}/${step}`,
      }
    case 'renamed':
      return {
        problem: `is now named "${newName}"`,
        advice: 'give it its old name back, or add the old name to its "formerNames"',
      }
    case 'removed':
      return {
        problem: 'this program does not have',
        advice:
          'put it back; or add its name to the "formerNames" of the step that replaces it; or, if a newer version of the program has applied it, run that version or restore an older backup',
      }
  }
}

// Earlier versions of Kysely's table may have recorded other texts.
function formatTime({ applied: { applied } }: Mismatch): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(applied) ?? []
  return day === undefined ? '' : ` on ${day} at ${time} UTC`
}
