import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccountFixtures } from './account-fixtures.ts'
import { DataError } from './data-error.ts'
import { loadData } from './load-data.ts'

// The rows are only checked, so neither the database nor the stores are used.
const fixtures = createAccountFixtures({} as never)

const read = async (list: 'groups' | 'users', rows: unknown) => (await fixtures[list].read(list, rows)).rows

const ada = { username: 'ada' }

test('only names are required; other values have the defaults of the HTTP API', async () => {
  assert.deepEqual(await read('users', []), [])
  assert.deepEqual(await read('groups', [{ name: ' readers ' }]), [{ name: 'readers' }])
  assert.deepEqual(await read('users', [ada]), [
    {
      username: 'ada',
      email: '',
      is_active: true,
      is_staff: false,
      is_superuser: false,
      groups: [],
    },
  ])
})

test('names and times are parsed as over HTTP; passwords are not changed', async () => {
  const user = {
    username: 'ＡＤＡ',
    password: ' \n',
    token: '!~',
    date_joined: '2026-03-01T12:00+02:00',
    groups: [2],
  }
  const [row] = await read('users', [user])
  const { username, password, token, date_joined } = row as typeof user
  assert.deepEqual(
    { username, password, token, date_joined },
    { username: 'ADA', password: ' \n', token: '!~', date_joined: '2026-03-01T10:00:00.000000Z' },
  )
})

test('a password hash in an unsupported format is rejected', async () => {
  const hashes = [
    'argon2$argon2id$v=19$x',
    '$argon2id$v=19$x',
    'bcrypt_sha256$$2b$12$x',
    'pbkdf2_sha1$1$a$b',
    `!${'a'.repeat(40)}`,
  ]
  for (const password of hashes) {
    const message = 'users[0].password: This is a hash that cannot be verified here.'
    await assert.rejects(read('users', [{ ...ada, password }]), new DataError(message), password)
  }
  assert.equal((await read('users', [{ ...ada, password: '!secret$of$mine' }])).length, 1)
})

const invalid: readonly (readonly [data: unknown, message: string])[] = [
  [[], 'Invalid data. Expected a dictionary, but got list.'],
  [null, 'Invalid data. Expected a dictionary, but got NoneType.'],
  [{ user: [], tags: [] }, 'unknown key "user", "tags": the keys are groups, users'],
  [JSON.parse('{"__proto__": []}'), 'unknown key "__proto__": the keys are groups, users'],
  [{ users: {} }, 'users: Expected a list of items but got type "dict".'],
  [{ users: null }, 'users: Expected a list of items but got type "NoneType".'],
  [{ users: [ada, 'bob'] }, 'users[1]: Invalid data. Expected a dictionary, but got str.'],
  [
    { users: [{ ...ada, nick: 'a' }] },
    'users[0]: unknown key "nick": the keys are id, username, email, remote_identity, password, is_active, is_staff, is_superuser, date_joined, groups, token',
  ],
  [{ users: [{ email: 'a@example.org' }] }, 'users[0].username: This field is required.'],
  [{ users: [{ username: null }] }, 'users[0].username: This field may not be null.'],
  [
    { users: [{ username: 'a b' }] },
    'users[0].username: Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.',
  ],
  [{ users: [ada, { username: 'bob', email: 'x' }] }, 'users[1].email: Enter a valid email address.'],
  [{ users: [{ ...ada, is_staff: 'perhaps' }] }, 'users[0].is_staff: Must be a valid boolean.'],
  [{ users: [{ ...ada, password: '' }] }, 'users[0].password: This field may not be blank.'],
  [
    { users: [{ ...ada, password: 'é'.repeat(2049) }] },
    'users[0].password: Ensure this field has no more than 4096 bytes.',
  ],
  [{ users: [{ ...ada, token: 'a b' }] }, 'users[0].token: Enter visible ASCII characters without spaces.'],
  [
    { users: [{ ...ada, token: 'x'.repeat(129) }] },
    'users[0].token: Ensure this field has no more than 128 characters.',
  ],
  [
    { users: [{ ...ada, date_joined: 'yesterday' }] },
    'users[0].date_joined: Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  ],
  [{ users: [{ ...ada, groups: 1 }] }, 'users[0].groups: Expected a list of items but got type "int".'],
  [{ users: [{ ...ada, groups: [1, 'x'] }] }, 'users[0].groups[1]: A valid integer is required.'],
  [{ users: [{ ...ada, id: 0 }] }, 'users[0].id: Ensure this value is greater than or equal to 1.'],
  [{ users: [{ ...ada, id: 2 ** 53 }] }, 'users[0].id: Ensure this value is less than or equal to 9007199254740991.'],
  [{ users: [{ ...ada, id: 1.5 }] }, 'users[0].id: A valid integer is required.'],
  [
    {
      users: [
        { ...ada, id: 1 },
        { username: 'bob', id: 1 },
      ],
    },
    'users[1].id: the same as users[0].id',
  ],
  [{ users: [ada, { username: 'ａda' }] }, 'users[1].username: the same as users[0].username'],
  [
    {
      users: [
        { ...ada, token: 'x' },
        { username: 'bob', token: 'x' },
      ],
    },
    'users[1].token: the same as users[0].token',
  ],
  [{ groups: [{}] }, 'groups[0].name: This field is required.'],
  [{ groups: [{ name: 'a' }, { name: 'a ' }] }, 'groups[1].name: the same as groups[0].name'],
  [
    {
      groups: [
        { id: 3, name: 'a' },
        { id: 3, name: 'b' },
      ],
    },
    'groups[1].id: the same as groups[0].id',
  ],
]

for (const [data, message] of invalid) {
  test(`a data file is rejected: ${message}`, async () => {
    // An invalid file is rejected before the database is used.
    await assert.rejects(loadData({ database: {} as never, fixtures }, data), new DataError(message))
  })
}
