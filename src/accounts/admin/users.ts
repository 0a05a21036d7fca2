// The accounts in the administration. Passwords and remote identities can be set over HTTP only here.

import { dateTime, multipleChoice, NotFound, objectView, type Resource, readOnly, related, resource } from '#core'
import { defineAccountEvent, tokenAuditEvents } from '../audit/account-events.ts'
import type { AccountChange, Authority } from '../authority.ts'
import { passwordField } from '../fields.ts'
import { accountMessages } from '../messages.ts'
import type { PasswordRules } from '../passwords/password-rules.ts'
import { hashPassword } from '../passwords/passwords.ts'
import type { SecondFactors } from '../second-factor/second-factors.ts'
import { endSessions } from '../sessions.ts'
import { userTable } from '../tables.ts'
import { tokenIssued, tokensRevoked } from '../tokens/describe-token.ts'
import type { TokenIssuer, TokenKind } from '../tokens/token-issuer.ts'
import { checkUsername, toUsernameKey } from '../username-key.ts'
import type { AdministrationOptions } from './administration-options.ts'
import type { adminGroups } from './groups.ts'
import { inheritedPermissions } from './inherited-permissions.ts'
import type { GrantablePermissions } from './permission-grid.ts'
import { transactWithRetry } from './tokens.ts'

/** Creates the resource of users; the permissions are those that can be granted. */
export const adminUsers = (
  groups: Groups,
  permissions: GrantablePermissions,
  authority: Authority,
  { tokens, tokenKind, passwordRules, afterUserCreated, secondFactors }: AdministrationOptions,
): Resource =>
  resource('users', {
    table: userTable,
    noStore: true,
    description: accountMessages('about.users'),
    pages: describePages(passwordRules),
    auditEvent: defineAccountEvent('account changed'),
    // All fields but the password, which is the reason for `noStore`.
    auditFields: [
      'username',
      'email',
      'remote_identity',
      'is_active',
      'is_staff',
      'is_superuser',
      'date_joined',
      'groups',
      'permissions',
    ],
    objectName: 'username',
    ordering: ['username'],
    searchFields: ['username', 'email'],
    filters: { groups: true, is_active: true, is_staff: true, is_superuser: true },
    orderingFields: ['username', 'email', 'date_joined'],
    fields: createFields(groups, permissions),
    hookColumns: ['password', 'username_key'],
    async validate({ values, key, connection }) {
      const { username, email, password }: UserValues = values
      await checkUsername(username, { id: key, connection })
      if (password !== undefined) await passwordRules.check(password, { username, email })
    },
    prepare: async ({ values }) => {
      const { username, password }: UserValues = values
      return {
        username_key: toUsernameKey(username),
        ...(password !== undefined && { password: await hashPassword(password) }),
      }
    },
    async beforeSave({ action, key: id, before, values, user, connection }) {
      const { is_active, is_superuser, password, remote_identity }: UserValues = values
      await authority.checkUser(user, id, values, connection)
      if (action === 'create' || id === undefined) return
      if (!is_active || !is_superuser) await authority.checkLastSuperuser(id, connection)
      const isIdentityChanged = remote_identity !== before.remote_identity
      if (!is_active || password !== undefined || isIdentityChanged) await endSessions(id, connection)
    },
    async afterSave({ action, key: id, connection }) {
      if (action === 'create') await afterUserCreated?.(id, connection)
    },
    beforeDestroy: ({ key: id, user, connection }) => authority.checkUserDeletion(user, id, connection),
    objectViews: {
      tokens: tokensView(authority, tokens, tokenKind),
      ...(secondFactors && { 'second-factor': secondFactorView(authority, secondFactors) }),
    },
  })

/** `password` is absent if the request body has none. */
interface UserValues extends AccountChange {
  readonly username: string
  readonly email: string
  readonly is_active: boolean
  readonly remote_identity: string | null
  readonly password?: string
}

type Groups = ReturnType<typeof adminGroups>

const createFields = (groups: Groups, { choices, grid }: GrantablePermissions) => ({
  ...userTable.pick('id', 'username', 'email', 'remote_identity'),
  password: passwordField,
  ...userTable.pick('is_active', 'is_staff', 'is_superuser'),
  date_joined: readOnly(dateTime({ label: accountMessages('label.date_joined') })),
  groups: related(groups, {
    many: { table: 'user_groups', own: 'user_id', other: 'group_id' },
    default: [],
    label: accountMessages('label.groups'),
  }),
  permissions: multipleChoice(choices, {
    rows: { table: 'user_permissions', own: 'user_id', other: 'permission' },
    grid,
    default: [],
    label: accountMessages('label.permissions'),
  }),
  inherited_permissions: inheritedPermissions({ choices, grid }),
})

const describePages = ({ minLength }: PasswordRules) =>
  ({
    names: { one: accountMessages('name.users.one'), many: accountMessages('name.users.many') },
    groups: {
      account: {
        title: accountMessages('section.account'),
        fields: ['username', 'email', 'remote_identity', 'password', 'date_joined'],
      },
      rights: {
        title: accountMessages('section.rights'),
        fields: ['is_active', 'is_staff', 'is_superuser', 'groups', 'permissions', 'inherited_permissions'],
      },
    },
    columns: ['email', 'groups', 'is_active', 'is_staff', 'date_joined'],
    actions: {
      'reset-password': {
        label: accountMessages('action.reset_password'),
        description: accountMessages('action.password_rules', { min: minLength }),
        done: accountMessages('action.password_was_reset', { name: '{name}' }),
        fields: ['password'],
      },
      deactivate: {
        label: accountMessages('action.deactivate'),
        description: accountMessages('action.account_stays'),
        done: accountMessages('action.deactivated', { name: '{name}' }),
        values: { is_active: false },
      },
      activate: {
        label: accountMessages('action.activate'),
        done: accountMessages('action.activated', { name: '{name}' }),
        values: { is_active: true },
      },
      'add-to-group': { label: accountMessages('action.add_to_group'), adds: 'groups' },
    },
  }) as const

/** Removes the second factor of a user who has lost the app and the recovery codes. */
const secondFactorView = (authority: Authority, secondFactors: SecondFactors) =>
  objectView({
    description: accountMessages('factor.about_reset'),
    pageActions: { DELETE: { label: accountMessages('factor.reset'), menu: true } },
    auditEvent: defineAccountEvent('account changed'),
    handlers: {
      async DELETE({ key, user, database }) {
        const id = Number(key)
        await database.transaction(async connection => {
          await authority.checkUser(user, id, {}, connection)
          if (!(await secondFactors.remove(id, connection))) throw new NotFound()
        })
        return { status: 204 }
      },
    },
  })

/** Issues a token for a user, or revokes all tokens of the user. */
const tokensView = (authority: Authority, tokens: TokenIssuer, kind: TokenKind) =>
  objectView({
    description: accountMessages('about.user_tokens'),
    pageActions: {
      POST: {
        label: accountMessages('action.make_token'),
        description: accountMessages(kind === 'single' ? 'action.replaces_token' : 'action.token_once'),
      },
      DELETE: {
        label: accountMessages('action.revoke_tokens'),
        description: accountMessages('action.tokens_end'),
        done: accountMessages('action.tokens_revoked', { name: '{name}' }),
        menu: true,
      },
    },
    ...(kind === 'named' && { body: tokens.fields }),
    auditEvent: tokenAuditEvents,
    handlers: {
      POST: {
        openapi: tokenIssued(201),
        async handle(context) {
          const { user, body, baseUrl } = context
          const id = Number(context.key)
          const issued = await transactWithRetry(context, async connection => {
            await authority.checkUser(user, id, {}, connection)
            return kind === 'single'
              ? { id, token: await tokens.reissue(id, connection), details: {} }
              : tokens.issue(id, Object(body), connection)
          })
          const headers = { location: `${baseUrl}/tokens/${issued.id}/` }
          return { status: 201, headers, body: { id: issued.id, ...issued.details, token: issued.token } }
        },
      },
      DELETE: {
        openapi: tokensRevoked,
        async handle({ key, user, database }) {
          const id = Number(key)
          await database.transaction(async connection => {
            await authority.checkUser(user, id, {}, connection)
            await tokens.revokeAll(id, connection)
          })
          return { status: 204 }
        },
      },
    },
  })
