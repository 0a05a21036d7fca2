// The tokens of reset links. A token is an HMAC over the account as it is, so nothing is stored: it ends when the password, the email
// address or the last login changes, and when its time is over (decision 141).

import { createHmac, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import { compile, type Database, parameter, type Statement } from '#core'
import { deriveSecrets, type Secrets } from '../encryption.ts'
import { toUser, type User, type UserRow, userColumns } from '../user.ts'

/** An active account with a password. */
export interface ResettableAccount {
  readonly user: User
  readonly passwordHash: string
  /** Null before the first login. */
  readonly lastLogin: string | null
}

export interface ResetLinks {
  /** The accounts to which a link may be sent: active, with a password, and with this email address, in upper or lower case. */
  findByEmail(email: string): Promise<readonly ResettableAccount[]>
  /** `time`: when the link was asked for, in seconds since 1970. */
  createToken(account: ResettableAccount, time: number): string
  /** The account of a token; undefined if the token does not work, whatever it is. */
  verify(token: string): Promise<ResettableAccount | undefined>
}

export interface ResetLinksOptions {
  readonly database: Database
  readonly secrets: Secrets
  /** In seconds. */
  readonly lifetime: number
  readonly clock: () => Date
}

type AccountRow = readonly [...UserRow, password: string, lastLogin: string | null]

export function createResetLinks({ database, secrets, lifetime, clock }: ResetLinksOptions): ResetLinks {
  const keys = deriveSecrets(secrets, 'password reset')
  const { findById, findByEmail } = compileStatements(database)
  const sign = ({ user, passwordHash, lastLogin }: ResettableAccount, time: number, key = keys[0]!) =>
    createHmac('sha256', key)
      .update(JSON.stringify([user.id, user.email, passwordHash, lastLogin, time]))
      .digest()
  return {
    // In a transaction, because a replica may still have an older password.
    findByEmail: async email =>
      (await database.transaction(connection => connection.run(findByEmail, { email }))).map(toAccount),
    createToken: (account, time) =>
      [account.user.id, time.toString(36), sign(account, time).toString('base64url')].join('.'),
    async verify(token) {
      const [, id, start, signature] = tokenFormat.exec(token) ?? []
      if (signature === undefined) return undefined
      const time = Number.parseInt(start!, 36)
      const age = clock().getTime() / 1000 - time
      if (age > lifetime || age < -maxClockDifference) return undefined
      const row = await database.latest(findById, { id: Number(id) })
      if (row === undefined) return undefined
      const account = toAccount(row)
      const sent = Buffer.from(signature, 'base64url')
      return keys.some(key => timingSafeEqual(sent, sign(account, time, key))) ? account : undefined
    },
  }
}

// The key of an account, the time in base 36, and 256 bits in base64url.
const tokenFormat = /^(\d{1,15})\.([0-9a-z]{1,8})\.([\w-]{43})$/

/** In seconds. */
const maxClockDifference = 60

/** An address that more accounts have gets links for these. */
const maxAccounts = 10

function toAccount(row: AccountRow): ResettableAccount {
  const [passwordHash, lastLogin] = row.slice(userColumns.length) as [string, string | null]
  return { user: toUser(row.slice(0, userColumns.length) as unknown as UserRow), passwordHash, lastLogin }
}

function compileStatements(database: Database) {
  const { dialect } = database
  const columns = [...userColumns, 'password'].map(column => sql.ref(`users.${column}`))
  const lastLogin = dialect.dateTime(sql.ref('users.last_login'))
  const accounts = sql`select ${sql.join(columns)}, ${lastLogin} from users where users.is_active and users.password is not null`
  const email = dialect.lowerText(sql.ref('users.email'))
  const byId: Statement<AccountRow> = compile(database, sql`${accounts} and users.id = ${parameter('id')}`)
  const byEmail: Statement<AccountRow> = compile(
    database,
    sql`${accounts} and ${email} = ${dialect.lowerText(sql`${parameter('email')}`)} order by users.id limit ${sql.lit(maxAccounts)}`,
  )
  return { findById: byId, findByEmail: byEmail }
}
