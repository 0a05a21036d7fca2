// The response schemas of the hand-written handlers.

const text = { type: 'string' } as const
const integer = { type: 'integer' } as const

const user = {
  type: 'object',
  properties: { url: text, username: text, email: text, groups: { type: 'array', items: text } },
} as const

const snippet = {
  type: 'object',
  properties: {
    id: integer,
    owner: text,
    title: text,
    code: text,
    linenos: { type: 'boolean' },
    language: text,
    style: text,
  },
} as const

const title = { type: 'object', properties: { id: integer, title: text, watched: { type: 'boolean' } } } as const

const refusal = { type: 'object', properties: { detail: text } } as const

const pageOf = (item: object) => ({
  type: 'object',
  properties: {
    count: integer,
    next: { type: 'string', nullable: true },
    previous: { type: 'string', nullable: true },
    results: { type: 'array', items: item },
  },
})

export const schemas = {
  users: { response: { 200: pageOf(user), '4xx': refusal } },
  user: { response: { 200: user, '4xx': refusal } },
  snippets: { response: { 200: pageOf(snippet), '4xx': refusal } },
  snippet: { response: { 200: snippet, '4xx': refusal } },
  titles: { response: { 200: pageOf(title), '4xx': refusal } },
  newSnippet: { response: { 201: snippet, '4xx': refusal } },
} as const
