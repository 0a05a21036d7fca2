import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DataError, parseData } from './data-file.ts'

const parse = (data: unknown) => parseData(data, { codeLimit: 20 })

const ada = { username: 'ada' }
const print = { owner: 'ada', code: 'print(1)' }

test('only names and code are required; other values have the defaults of the HTTP API', () => {
  assert.deepEqual(parse({}), { groups: [], users: [], snippets: [] })
  assert.deepEqual(parse({ groups: [{ name: ' readers ' }], users: [ada], snippets: [print] }), {
    groups: [{ name: 'readers' }],
    users: [{ username: 'ada', email: '', is_active: true, is_staff: false, is_superuser: false, groups: [] }],
    snippets: [{ ...print, title: '', linenos: false, language: 'python', style: 'friendly' }],
  })
})

test('names and times are parsed as over HTTP; passwords and code are not changed', () => {
  const user = {
    username: 'ＡＤＡ',
    password: ' \n',
    token: '!~',
    date_joined: '2026-03-01T12:00+02:00',
    groups: [2],
  }
  const { users, snippets } = parse({ users: [user], snippets: [{ ...print, owner: 'ＡＤＡ', code: '  x\r\n' }] })
  const { username, password, token, date_joined } = users[0]!
  assert.deepEqual(
    { username, password, token, date_joined },
    { username: 'ADA', password: ' \n', token: '!~', date_joined: '2026-03-01T10:00:00.000000Z' },
  )
  assert.deepEqual([snippets[0]!.owner, snippets[0]!.code], ['ADA', '  x\r\n'])
})

test('a password hash in an unsupported format is rejected', () => {
  const hashes = [
    'argon2$argon2id$v=19$x',
    '$argon2id$v=19$x',
    'bcrypt_sha256$$2b$12$x',
    'pbkdf2_sha1$1$a$b',
    `!${'a'.repeat(40)}`,
  ]
  for (const password of hashes) {
    const message = 'users[0].password: This is a hash that cannot be verified here.'
    assert.throws(() => parse({ users: [{ ...ada, password }] }), new DataError(message), password)
  }
  assert.ok(parse({ users: [{ ...ada, password: '!secret$of$mine' }] }))
})

const invalid: readonly (readonly [data: unknown, message: string])[] = [
  [[], 'Invalid data. Expected a dictionary, but got list.'],
  [null, 'Invalid data. Expected a dictionary, but got NoneType.'],
  [{ user: [], tags: [] }, 'unknown key "user", "tags"'],
  [JSON.parse('{"__proto__": []}'), 'unknown key "__proto__"'],
  [{ users: {} }, 'users: Expected a list of items but got type "dict".'],
  [{ users: null }, 'users: Expected a list of items but got type "NoneType".'],
  [{ users: [ada, 'bob'] }, 'users[1]: Invalid data. Expected a dictionary, but got str.'],
  [{ users: [{ ...ada, nick: 'a' }] }, 'users[0]: unknown key "nick"'],
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
  [{ snippets: [{ code: 'x' }] }, 'snippets[0].owner: This field is required.'],
  [{ snippets: [{ owner: 'ada' }] }, 'snippets[0].code: This field is required.'],
  [{ snippets: [{ ...print, code: '' }] }, 'snippets[0].code: This field may not be blank.'],
  [{ snippets: [{ ...print, code: ' \n' }] }, 'snippets[0].code: This field may not be blank.'],
  [
    { snippets: [{ ...print, code: 'x'.repeat(21) }] },
    'snippets[0].code: Ensure this field has no more than 20 characters.',
  ],
  [{ snippets: [{ ...print, language: 'zz' }] }, 'snippets[0].language: "zz" is not a valid choice.'],
  [{ snippets: [{ ...print, style: 'zz' }] }, 'snippets[0].style: "zz" is not a valid choice.'],
  [
    {
      snippets: [
        { ...print, id: 1 },
        { ...print, id: 1 },
      ],
    },
    'snippets[1].id: the same as snippets[0].id',
  ],
]

for (const [data, message] of invalid) {
  test(`a data file is rejected: ${message}`, () => {
    assert.throws(() => parse(data), new DataError(message))
  })
}
