// The lists of groups and users in a data file.

import {
  accountsKysely,
  emailField,
  groupNameField,
  hashPassword,
  isPasswordHash,
  maxPasswordLength,
  remoteIdentityField,
  type TokenStore,
  type Users,
  usernameField,
} from '#accounts'
import { boolean, dateTime, defineField, parseText, text, ValidationError } from '#core'
import { createFixture, type Fixture, type Loading, withDataError } from './fixture.ts'
import { optional } from './read-rows.ts'
import { itemsOf, keyField } from './row-fields.ts'

/** Creates the fixtures of groups and users. */
export const createAccountFixtures = (accounts: AccountStores): Readonly<Record<'groups' | 'users', Fixture>> => ({
  groups: groupFixture,
  users: createUserFixture(accounts),
})

interface AccountStores {
  readonly users: Pick<Users, 'create'>
  readonly tokens: Pick<TokenStore, 'regenerate'>
}

const groupFixture = createFixture({
  table: 'groups',
  keyName: 'id',
  key: 'id',
  isNumbered: true,
  fields: { id: optional(keyField), name: groupNameField },
  unique: ['id', 'name'],
  prepare: group => group,
  async insert({ connection }, { id, name }, path) {
    const row = { name, ...(id !== undefined && { id }) }
    await withDataError(
      accountsKysely(connection).insertInto('groups').values(row).execute(),
      `${path}: a group with this id or name already exists`,
    )
  },
})

// If a hash were taken as a plain password, anyone who has the hash could log in with it.
const looksHashed =
  /^(?:pbkdf2_sha\d+|argon2\w*|bcrypt\w*|scrypt|md5|sha1|\$(?:argon2\w*|2[abxy]|scrypt|pbkdf2[\w-]*|[156y]))\$|^![A-Za-z0-9]{40}$/

const password = defineField<string>(
  {},
  {
    kind: text().kind,
    parse(input) {
      const value = parseText(input, { trim: false })
      if (looksHashed.test(value) && !isPasswordHash(value)) {
        throw new ValidationError('This is a hash that cannot be verified here.', 'unknown_hash')
      }
      if (Buffer.byteLength(value) <= maxPasswordLength) return value
      throw new ValidationError(`Ensure this field has no more than ${maxPasswordLength} bytes.`, 'max_length')
    },
  },
)

const token = text({
  max: 128,
  trim: false,
  pattern: { test: /^[\x21-\x7e]+$/, message: 'Enter visible ASCII characters without spaces.' },
})

const userFields = {
  id: optional(keyField),
  username: usernameField,
  email: emailField,
  remote_identity: optional(remoteIdentityField),
  password: optional(password),
  is_active: boolean({ default: true }),
  is_staff: boolean({ default: false }),
  is_superuser: boolean({ default: false }),
  date_joined: optional(dateTime()),
  groups: itemsOf(keyField),
  token: optional(token),
}

const createUserFixture = ({ users, tokens }: AccountStores): Fixture =>
  createFixture({
    table: 'users',
    keyName: 'id',
    key: 'id',
    isNumbered: true,
    fields: userFields,
    unique: ['id', 'username', 'remote_identity', 'token'],
    prepare: async user => ({ ...user, passwordHash: user.password && (await hashUnlessHashed(user.password)) }),
    async insert(loading, user, path) {
      const { id, username, email, passwordHash, date_joined: dateJoined, remote_identity: remoteIdentity } = user
      const flags = { isActive: user.is_active, isStaff: user.is_staff, isSuperuser: user.is_superuser }
      const optionalColumns = {
        ...(id !== undefined && { id }),
        ...(dateJoined !== undefined && { dateJoined }),
        ...(remoteIdentity != null && { remoteIdentity }),
      }
      const userId = await withDataError(
        users.create({ username, email, passwordHash, ...flags, ...optionalColumns }, loading.connection),
        `${path}: a user with this id, username or remote identity already exists`,
      )
      await joinGroups(loading, userId, user.groups, path)
      if (user.token === undefined) return
      // `afterUserCreated` may have created a token; the token in the file replaces it.
      const saving = tokens.regenerate(userId, loading.connection, user.token)
      await withDataError(saving, `${path}.token: another user has this token`)
    },
  })

const hashUnlessHashed = async (secret: string): Promise<string> =>
  isPasswordHash(secret) ? secret : hashPassword(secret)

async function joinGroups(
  { connection }: Loading,
  userId: number,
  groupIds: readonly number[],
  path: string,
): Promise<void> {
  for (const [index, groupId] of groupIds.entries()) {
    const row = { user_id: userId, group_id: groupId }
    const insertion = accountsKysely(connection).insertInto('user_groups').values(row)
    await withDataError(
      insertion.onConflict(conflict => conflict.doNothing()).execute(),
      `${path}.groups[${index}]: there is no group ${groupId}`,
    )
  }
}
