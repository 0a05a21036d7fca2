// Passwords come from a prompt, or from standard input where that is not a terminal; never from arguments, which
// every user of the machine can read.

import { read } from 'read'
import { maxPasswordLength } from '../../accounts/passwords.ts'
import { CommandError } from './error-messages.ts'

/** The password that is typed twice, or the first line of standard input. */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await prompt() : await firstLine()
  if (password === '') throw new CommandError('the password must not be empty')
  if (Buffer.byteLength(password) > maxPasswordLength) {
    throw new CommandError(`the password must not have more than ${maxPasswordLength} bytes`)
  }
  return password
}

async function prompt(): Promise<string> {
  const ask = (text: string) => read({ prompt: text, silent: true, output: process.stderr })
  const password = await ask('Password: ')
  if ((await ask('Password (again): ')) !== password) throw new CommandError('the two passwords are not the same')
  return password
}

async function firstLine(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8').split(/\r?\n/)[0]!
}
