// Creates users directly in the database of a service.

import { hashPassword } from 'resource-api/accounts'
import { openServices, readSettings } from 'resource-api/service'
import defaultService from '../../../src/seed/default-service.ts'
import { secretKey } from './service.ts'

export const password = 'correct horse battery staple'

export interface NewUser {
  readonly username: string
  readonly staff?: boolean
  readonly superuser?: boolean
}

/** Migrates the database, creates users who can log in with `password`, and returns their tokens. */
export async function createUsers(databaseUrl: string, ...users: readonly NewUser[]): Promise<readonly string[]> {
  const settings = readSettings({ file: { ...defaultService, databaseUrl, secretKey, logLevel: 'silent' } })
  const services = openServices({ ...settings, secretKey })
  try {
    await services.migrate()
    const passwordHash = await hashPassword(password)
    return await services.database.transaction(async connection => {
      const tokens: string[] = []
      for (const { username, superuser = false, staff = superuser } of users) {
        const user = { username, passwordHash, isStaff: staff, isSuperuser: superuser }
        const id = await services.accounts.users.create(user, connection)
        tokens.push(await services.accounts.tokens.getOrCreate(id, connection))
      }
      return tokens
    })
  } finally {
    await services.close()
  }
}
