// Users of a service that does not run yet, or runs elsewhere.

import { hashPassword } from '../../../src/accounts/passwords.ts'
import { openServices } from '../../../src/service/services.ts'
import { readSettings } from '../../../src/service/settings/settings.ts'
import { secretKey } from './service.ts'

export const password = 'correct horse battery staple'

export interface NewUser {
  readonly username: string
  readonly staff?: boolean
  readonly superuser?: boolean
}

/** Brings the database to the newest form, and makes users who log in with `password`; answers their tokens' keys. */
export async function createUsers(databaseUrl: string, ...users: readonly NewUser[]): Promise<readonly string[]> {
  const settings = readSettings({ file: { databaseUrl, secretKey, logLevel: 'silent' } })
  const services = openServices({ ...settings, secretKey })
  try {
    await services.migrate()
    const passwordHash = await hashPassword(password)
    return await services.database.transaction(async connection => {
      const keys: string[] = []
      for (const { username, superuser = false, staff = superuser } of users) {
        const user = { username, passwordHash, isStaff: staff, isSuperuser: superuser }
        const id = await services.users.create(user, connection)
        keys.push(await services.tokens.getOrCreate(id, connection))
      }
      return keys
    })
  } finally {
    await services.close()
  }
}
