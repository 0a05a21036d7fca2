// The English texts of the errors of accounts.

import { defineMessages, type TranslationOf } from 'resource-api'

/** Creates an error with a message of accounts. Give it to `catalogues` of `createApi` if the API has languages. */
export const accountMessages = defineMessages({
  'invalid.username': 'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.',
  'unique.username': 'A user with that username already exists.',
  'unique.remote_identity': 'A user with that remote identity already exists.',
  'unique.group': 'group with this name already exists.',
  'unique.token': 'This user already has a token. It can be regenerated.',
  'max_length.bytes': 'Ensure this field has no more than {max} bytes.',
  'max_tokens.one': 'A user has at most 1 token: revoke it first.',
  'max_tokens.many': 'A user has at most {max} tokens: revoke one first.',
  password_too_short: 'This password is too short. It must contain at least {min} characters.',
  password_too_common: 'This password is too common.',
  'password_too_similar.username': 'The password is too similar to the username.',
  'password_too_similar.email': 'The password is too similar to the email address.',
  password_entirely_numeric: 'This password is entirely numeric.',
  authorization: 'Unable to log in with provided credentials.',
  'permission_denied.lacked': 'Only a superuser may do this: it requires permissions that you do not have.',
  'permission_denied.group_grant': 'A group grants permissions that you do not have.',
  'permission_denied.staff_user': 'Only a superuser may do this to a staff user.',
  'permission_denied.staff_group': 'Only a superuser may do this to a group with a staff member.',
  'permission_denied.flags': 'Only a superuser may change is_staff and is_superuser.',
  'permission_denied.last_superuser': 'At least one active superuser must remain.',
  // what a permission allows, as in "Users: view, add"
  'grant.view': 'view',
  'grant.add': 'add',
  'grant.change': 'change',
  'grant.delete': 'delete',
  // actions on the pages
  'action.reset_password': 'Reset password',
  'action.password_rules':
    'At least {min} characters, not only digits, not a common password, and not like the username or the email address. All sessions of the user end; their tokens stay valid.',
  'action.activate': 'Activate',
  'action.deactivate': 'Deactivate',
  'action.add_to_group': 'Add to group',
  'action.make_token': 'Make token',
  'action.token_once': 'The token is shown once, on the next page.',
  'action.replaces_token': 'The token is shown once, on the next page. The token that the user has now stops working.',
  'action.revoke_tokens': 'Revoke tokens',
  'action.tokens_end': 'All tokens of the user stop working at once.',
  // the home of the administration
  'home.warnings': 'Warnings about the deployment: {count}',
  'home.failed_logins': 'Failed logins',
  'home.refused': 'Refused requests',
  'home.no_failed_logins': 'No failed logins.',
  'home.no_refused': 'No refused requests.',
  'home.days': 'The last {days} days',
  'home.day': 'Day (UTC)',
  'home.as_table': 'As a table',
  'home.changes': 'Last changes',
  'home.all_changes': 'All in the audit log',
  'home.no_changes': 'Nothing has been changed yet.',
  'home.command': 'A command',
  // the pages of the own account
  'account.password': 'Change password',
  'account.password_rules':
    'At least {min} characters, not only digits, not a common password, and not like your username or email address. Your other sessions end; your tokens stay valid.',
  'account.old_password': 'Old password',
  'account.new_password': 'New password',
  'account.new_again': 'New password, again',
  'account.change_password': 'Change the password',
  'account.mismatch': 'The two new passwords are not the same.',
  'account.wrong_password': 'The old password is wrong.',
  'account.password_changed': 'The password is changed. Your other sessions have ended.',
  'account.name': 'Name',
  'account.since': 'Since',
  'account.expires': 'Expires',
  'account.last_used': 'Last used',
  'account.end': 'End',
  'account.end_others': 'End all other sessions',
  'account.this_session': 'This session',
  'account.revoke': 'Revoke',
  'account.replaces': 'A new token replaces the one that you have.',
  'account.no_tokens': 'You have no token.',
})

/** All texts of accounts in one language. */
export type AccountMessages = TranslationOf<typeof accountMessages>
