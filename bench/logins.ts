// `npm run bench:logins` checks that the response time of a refused login does not reveal whether the user exists. It sends
// logins that are refused for different reasons to the token endpoint, in turn, and shows the median time of each and its
// ratio to a wrong password. The wrong password is measured twice; the ratio of the two is the noise.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashPassword } from 'resource-api/accounts'
import { createService, openServices, type Services } from 'resource-api/service'
import { settingsFor } from './service.ts'

const rounds = 150

const users = {
  'wrong password': 'ann',
  'wrong password, again': 'ann',
  'unknown user': 'nobody',
  'inactive user': 'inactive',
  'user without a password': 'silent',
  'name that no user can have': 'no such name!',
} as const

type Kind = keyof typeof users

const folder = mkdtempSync(join(tmpdir(), 'resource-api-logins-'))
const limits = { perAccount: '1000000/day', perAddress: '1000000/day' }
const services = openServices({ ...settingsFor(`sqlite:${join(folder, 'logins.db')}`), loginThrottle: limits })
try {
  await services.migrate()
  await createUsers(services)
  report(await measure(services))
} finally {
  await services.close()
  rmSync(folder, { recursive: true })
}

async function createUsers({ database, accounts: { users } }: Services): Promise<void> {
  const passwordHash = await hashPassword('the right password of everybody')
  await database.transaction(async connection => {
    await users.create({ username: 'ann', passwordHash }, connection)
    await users.create({ username: 'inactive', passwordHash, isActive: false }, connection)
    await users.create({ username: 'silent' }, connection)
  })
}

async function measure(services: Services): Promise<ReadonlyMap<Kind, readonly number[]>> {
  const app = await createService(services)
  const kinds = Object.keys(users) as Kind[]
  const times = new Map(kinds.map(kind => [kind, [] as number[]]))
  const responses = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    // Each kind is first in some rounds.
    for (const kind of [...kinds.slice(round % kinds.length), ...kinds.slice(0, round % kinds.length)]) {
      const payload = { username: users[kind], password: 'a password that is not the right one' }
      const start = performance.now()
      const response = await app.inject({ method: 'POST', url: '/api-token-auth/', payload })
      times.get(kind)!.push(performance.now() - start)
      responses.add(`${response.statusCode} ${response.body}`)
    }
  }
  await app.close()
  if (responses.size !== 1) throw new Error(`the responses differ: ${[...responses].join(', ')}`)
  return times
}

function report(times: ReadonlyMap<Kind, readonly number[]>): void {
  const wrong = times.get('wrong password')!
  for (const [kind, own] of times) {
    const ratios = own.map((time, round) => time / wrong[round]!)
    process.stdout.write(
      `${kind.padEnd(28)}${median(own).toFixed(2).padStart(8)} ms${median(ratios).toFixed(3).padStart(8)}\n`,
    )
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}
