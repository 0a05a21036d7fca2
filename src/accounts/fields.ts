// The fields of users and groups, shared by everything that reads them: resources, commands and data files.

import { email, text, ValidationError, writeOnly } from '#core'
import { accountMessages } from './messages.ts'
import { maxPasswordLength } from './passwords/passwords.ts'

/** The error for a username that another user has. */
export const usernameTaken = accountMessages('unique.username')

export const usernameField = text({
  max: 150,
  label: accountMessages('label.username'),
  normalize: 'NFKC',
  pattern: {
    test: /^[\p{L}\p{N}\p{M}_@.+-]+$/u,
    message: accountMessages('invalid.username'),
  },
  unique: usernameTaken,
  help: accountMessages('help.username'),
})

/** The web server's name for a user, stored and compared byte for byte. */
export const remoteIdentityField = text({
  max: 255,
  trim: false,
  nullable: true,
  label: accountMessages('label.remote_identity'),
  unique: accountMessages('unique.remote_identity'),
  help: accountMessages('help.remote_identity'),
})

export const emailField = email({ max: 254, blank: true, default: '', label: accountMessages('label.email') })

/** A password in a request body: validated, then hashed by the resource. Only the hash is stored; neither is shown. */
export const passwordField = writeOnly(
  text({ trim: false, required: false, label: accountMessages('label.password'), validators: [checkLength] }),
  {
    stored: false,
  },
)

function checkLength(password: string): void {
  if (Buffer.byteLength(password) > maxPasswordLength)
    throw new ValidationError(accountMessages('max_length.bytes', { max: maxPasswordLength }))
}

export const groupNameField = text({
  max: 150,
  label: accountMessages('label.name'),
  unique: accountMessages('unique.group'),
})
