// The users in the tests of the administration, and their permissions.

import type { Services } from 'resource-api/service'
import type { TestService } from './service.ts'

/** Root is a superuser; Stan and Sam are staff; Pam and the editors may delete snippets; Ann has no special rights. */
export interface People {
  readonly root: Person
  readonly stan: Person
  readonly sam: Person
  readonly pam: Person
  readonly ann: Person
  /** A group whose members may delete snippets. */
  readonly editors: number
  /** A group with Sam and Ann, whose members may view snippets; Stan has the same permission himself. */
  readonly readers: number
}

export interface Person {
  readonly id: number
  readonly key: string
}

/** Deletes all users and groups, and creates these. */
export async function createPeople({ services, createUser }: TestService): Promise<People> {
  await runInTransaction(services, async kysely => {
    await kysely.deleteFrom('users').execute()
    await kysely.deleteFrom('groups').execute()
  })
  const root = await createUser('root', { staff: true, superuser: true })
  const stan = await createUser('stan', { staff: true })
  const sam = await createUser('sam', { staff: true })
  const pam = await createUser('pam')
  const ann = await createUser('ann')
  const [editors, readers] = await runInTransaction(services, async kysely => {
    const insertGroup = async (name: string) =>
      (await kysely.insertInto('groups').values({ name }).returning('id').executeTakeFirstOrThrow()).id
    const ids = [await insertGroup('editors'), await insertGroup('readers')] as const
    const [toDelete, toView] = ['snippets.delete', 'snippets.view']
    await kysely
      .insertInto('group_permissions')
      .values([
        { group_id: ids[0], permission: toDelete },
        { group_id: ids[1], permission: toView },
      ])
      .execute()
    await kysely
      .insertInto('user_permissions')
      .values([
        { user_id: stan.id, permission: toView },
        { user_id: pam.id, permission: toDelete },
      ])
      .execute()
    await kysely
      .insertInto('user_groups')
      .values([sam, ann].map(({ id }) => ({ user_id: id, group_id: ids[1] })))
      .execute()
    return ids
  })
  return { root, stan, sam, pam, ann, editors: editors!, readers: readers! }
}

/** Writes to the database directly. */
export const runInTransaction = <Result>(
  { database }: Services,
  work: (kysely: Services['database']['kysely']) => Promise<Result>,
): Promise<Result> => database.transaction(({ kysely }) => work(kysely))

/** Inserts users `NAME-0`, `NAME-1` and so on into the database directly. They have no passwords. */
export async function insertUsers({ services }: TestService, name: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    username: `${name}-${index}`,
    username_key: `${name}-${index}`,
    email: '',
    date_joined: new Date().toISOString(),
  }))
  await runInTransaction(services, async kysely => {
    for (let start = 0; start < count; start += 100)
      await kysely
        .insertInto('users')
        .values(rows.slice(start, start + 100))
        .execute()
  })
}
