/** Writes a line for people to standard error, which does not mix with the output that a program reads. */
export function warn(line: string): void {
  process.stderr.write(`${line}\n`)
}
