// The demonstration (`serve --demo`): sample data, a user to log in as, and curl commands to paste.

import { randomInt } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { accountsKysely } from '#accounts'
import { loadData } from '../data/load-data.ts'
import { createShellExamples } from '../pages/shell-examples.ts'
import type { Services } from '../services.ts'
import { createFileOnce, dataFolder } from '../settings/secret-key.ts'
import type { DemoData, ServiceOptions } from '../settings/settings.ts'

/** Defaults of `serve --demo`; a config file overrides them. */
export const demoSettings: ServiceOptions = { logLevel: 'warn' }

/** The user whose password is printed. */
const demoUser = { username: 'demo', is_staff: true }

/**
 * Loads the demonstration data if the database has no users: that of the setting `demo`, then that of the profiles.
 * Returns a function that formats the introduction for the URL of the service. The password of the user `demo` is
 * generated once and stored in the folder of the database.
 */
export async function prepareDemo(services: Services): Promise<(url: string) => string> {
  const file = join(dataFolder(services.settings), 'demo-password')
  if (!(await hasUsers(services))) await loadDemo(services, file)
  const login = await findLogin(services, file)
  return url =>
    [
      ...(login === undefined ? ['The database already has users, so the demonstration data was not loaded.', ''] : []),
      ...formatAddresses(services, url),
      ...(login === undefined ? [] : formatExamples(services, url, login)),
      '',
      'Press Ctrl+C to stop the service.',
      '',
    ].join('\n')
}

interface Login {
  readonly password: string
  readonly token: string
}

async function hasUsers({ database }: Services): Promise<boolean> {
  const row = await accountsKysely(database).selectFrom('users').select('id').limit(1).executeTakeFirst()
  return row !== undefined
}

async function loadDemo(services: Services, file: string): Promise<void> {
  createFileOnce(file, createPassword)
  const { settings, profiles } = services
  const { users = [], ...lists } = joinData([settings.demo, ...profiles.map(({ demo }) => demo.data)])
  await loadData(services, {
    ...lists,
    users: joinUsers([{ ...demoUser, password: readPassword(file) }, ...users]),
  })
}

// Several profiles may name the same user; the first of them that gives a property wins.
const joinUsers = (users: readonly object[]): readonly object[] =>
  [...Map.groupBy(users, user => ('username' in user ? user.username : user)).values()].map(sameUsers =>
    Object.assign({}, ...sameUsers.toReversed()),
  )

function joinData(parts: readonly (DemoData | undefined)[]): DemoData {
  const lists = parts.flatMap(part => Object.entries(part ?? {}))
  return Object.fromEntries(
    [...Map.groupBy(lists, ([name]) => name)].map(([name, entries]) => [name, entries.flatMap(([, rows]) => rows)]),
  )
}

// Undefined if the password in the file is wrong: it may belong to another database, or a user has changed it.
async function findLogin(
  { accounts: { users, tokens }, database }: Services,
  file: string,
): Promise<Login | undefined> {
  if (!existsSync(file)) return undefined
  const password = readPassword(file)
  const user = await users.verify(demoUser.username, password)
  if (user === undefined) return undefined
  return {
    password,
    token: await database.transaction(connection => tokens.getOrCreate(user.id, connection)),
  }
}

const readPassword = (file: string): string => readFileSync(file, 'utf8').trim()

// 16 random characters from an alphabet of 31 that are easy to tell apart: 79 bits of entropy.
function createPassword(): string {
  const characters = 'abcdefghjkmnpqrstuvwxyz23456789'
  const group = () => Array.from({ length: 4 }, () => characters[randomInt(characters.length)]).join('')
  return [group(), group(), group(), group()].join('-')
}

function formatAddresses({ profiles }: Services, url: string): string[] {
  const lines = profiles.map(({ title, mount, demo }) => `  ${(demo.title ?? title).padEnd(17)} ${url}${mount}`)
  return [`The service listens on ${url}`, '', ...lines]
}

function formatExamples(services: Services, url: string, { password, token }: Login): string[] {
  const { username } = demoUser
  const requests = createShellExamples(services, url, { username, password, token })
  return [
    '',
    `  User              ${username}`,
    `  Password          ${password}`,
    '',
    ...requests.flatMap(({ title, line }) => [`${title}:`, `  ${line}`]),
  ]
}
