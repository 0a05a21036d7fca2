// Preloaded by processes that share many test files: most tests with passwords are not about the cost of their hashes.

import { setHashCost } from '../../src/accounts/passwords/passwords.ts'

setHashCost('lowest')
