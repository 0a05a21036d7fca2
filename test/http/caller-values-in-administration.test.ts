// Values that depend on the caller in the administration and on its pages: the caller is the member of staff.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { boolean, computed, key, resource, text } from 'resource-api'
import { adminResource } from 'resource-api/accounts'
import { startApi } from '../support/own-api.ts'
import { onEveryDatabase } from '../support/service.ts'

const people = resource('people', {
  table: 'users',
  actions: ['list'],
  fields: {
    id: key(),
    username: text(),
    is_me: computed(boolean(), ({ row, caller }) => sql`${row.id} = ${caller.id}`),
  },
})

onEveryDatabase({}, service => {
  const keys: Record<string, string> = {}
  before(async () => {
    for (const name of ['root', 'stan'])
      keys[name] = (await service().createUser(name, { staff: true, superuser: true })).key
  })

  test('lists, objects and pages of the administration show the values of their caller', async () => {
    const { accounts, database } = service().services
    const options = accounts.administration({ resources: [adminResource(people, { actions: ['list', 'retrieve'] })] })
    const { client, stop } = await startApi({ ...options, database })
    const as = (name: string, accept?: string) => ({
      headers: { authorization: `Token ${keys[name]}`, ...(accept && { accept }) },
    })
    interface Person {
      readonly id: number
      readonly username: string
      readonly is_me: boolean
    }
    // Requested twice, because the second page comes from the cache.
    for (const round of [1, 2])
      for (const name of ['root', 'stan']) {
        const list = (await client.get('/people/', as(name))).json()
        const found: readonly Person[] = list.results ?? list
        const own = found.filter(person => person.is_me)
        assert.deepEqual(
          own.map(({ username }) => username),
          [name],
          `round ${round}`,
        )
        assert.deepEqual((await client.get(`/people/${own[0]!.id}/`, as(name))).json(), own[0])
        const { text: page } = await client.get('/people/', as(name, 'text/html'))
        assert.deepEqual(page.match(/<td>\w+<\/td><td[^>]*><span class="tag">Yes</g), [
          `<td>${name}</td><td class="short" data-label="Is me"><span class="tag">Yes<`,
        ])
      }
    await stop()
  })
})
