import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clientAddress } from './client-address.ts'

const addressOf = (ip: string) => clientAddress({ ip })
const group = fc.integer({ min: 0, max: 0xffff })
const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length })
const write = (parts: readonly number[]) => parts.map(part => part.toString(16)).join(':')

test('LIM-THR-p1: an IPv4 address is a client, also where it is mapped into IPv6', () => {
  fc.assert(
    fc.property(fc.ipV4(), ip => {
      const [a, b, c, d] = ip.split('.').map(Number) as [number, number, number, number]
      assert.equal(addressOf(ip), ip)
      for (const prefix of ['::ffff:', '::FFFF:', '0:0:0:0:0:ffff:']) {
        assert.equal(addressOf(prefix + ip), ip)
        assert.equal(addressOf(prefix + write([a * 256 + b, c * 256 + d])), ip)
      }
    }),
  )
})

test('LIM-THR-p1: a /64 network of IPv6 is a client, and another one is another', () => {
  // A network that begins with zeros only may hold mapped addresses.
  const network = groups(4).filter(([first]) => first !== 0)
  fc.assert(
    fc.property(network, network, groups(4), groups(4), (one, other, host, neighbour) => {
      assert.equal(addressOf(write([...one, ...host])), `${write(one)}::/64`)
      assert.equal(addressOf(write([...one, ...neighbour]).toUpperCase()), `${write(one)}::/64`)
      const isSame = write(one) === write(other)
      assert.equal(addressOf(write([...one, ...host])) === addressOf(write([...other, ...host])), isSame)
    }),
  )
  assert.equal(addressOf('2001:db8::1'), addressOf('2001:0DB8:0::2'))
  assert.equal(addressOf('fe80::1%eth0'), addressOf('fe80::2'))
})

test('what is no address is one client, whatever it says', () => {
  fc.assert(
    fc.property(fc.string(), text => {
      assert.match(addressOf(text), /^(?:[\d.]+|[\da-f:]+\/64|unknown)$/)
    }),
  )
  for (const text of ['', 'unknown', '_hidden', '1.2.3.4:80', '[::1]', 'localhost', undefined as never])
    assert.equal(addressOf(text), 'unknown')
})
