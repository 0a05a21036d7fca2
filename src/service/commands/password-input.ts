// Reads passwords from a prompt, or from standard input if it is not a terminal. Arguments are not used, because every
// user of the machine can read them.

import { read } from 'read'
import { maxPasswordLength } from 'resource-api/accounts'
import { CommandError } from './error-messages.ts'

/**
 * Reads a password, which is typed twice at the prompt, or the first line of standard input. Throws
 * CommandError if it is empty or too long.
 */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await prompt() : await readFirstLine()
  if (password === '') throw new CommandError('the password must not be empty')
  if (Buffer.byteLength(password) > maxPasswordLength) {
    throw new CommandError(`the password must not have more than ${maxPasswordLength} bytes`)
  }
  return password
}

async function prompt(): Promise<string> {
  const ask = (text: string) => read({ prompt: text, silent: true, output: process.stderr })
  const password = await ask('Password: ')
  if ((await ask('Password (again): ')) !== password) throw new CommandError('the two passwords do not match')
  return password
}

async function readFirstLine(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8').split(/\r?\n/)[0]!
}
