// The fields of users and groups that more than one place reads: the directory, the command line, data files.

import { email } from '../framework/fields/email.ts'
import { text } from '../framework/fields/text.ts'

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

export const emailField = email({ max: 254, blank: true, default: '' })

export const groupNameField = text({ max: 150, unique: 'group with this name already exists.' })
