// The fields of users and groups, shared by everything that reads them: resources, commands and data files.

import { email, text, writeOnly } from 'resource-api'
import { type Field, invalid } from 'resource-api/extend'
import { maxPasswordLength } from './passwords.ts'

export const usernameField = text({
  max: 150,
  normalize: 'NFKC',
  pattern: {
    test: /^[\p{L}\p{N}\p{M}_@.+-]+$/u,
    message: 'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.',
  },
  unique: 'A user with that username already exists.',
  help: 'Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.',
})

/** The web server's name for a user, stored and compared byte for byte. */
export const remoteIdentityField = text({
  max: 255,
  trim: false,
  nullable: true,
  unique: 'A user with that remote identity already exists.',
  help: 'The web server’s name for the user, exactly; empty if it does not identify the user.',
})

export const emailField = email({ max: 254, blank: true, default: '' })

/** A password in a request body: validated, then hashed by the resource. Only the hash is stored; neither is shown. */
export const passwordField: Field<string, never, string, 'optional'> = Object.freeze({
  ...writeOnly(text({ trim: false, required: false, validators: [checkLength] })),
  storage: { kind: 'none' as const },
})

function checkLength(password: string): void {
  if (Buffer.byteLength(password) > maxPasswordLength)
    throw invalid(`Ensure this field has no more than ${maxPasswordLength} bytes.`, 'max_length')
}

export const groupNameField = text({ max: 150, unique: 'group with this name already exists.' })
