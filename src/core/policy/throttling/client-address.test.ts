import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { clientAddress } from './client-address.ts'

const toAddress = (ip: string) => clientAddress({ ip })
const group = fc.integer({ min: 0, max: 0xffff })
const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length })
const write = (parts: readonly number[]) => parts.map(part => part.toString(16)).join(':')

test('LIM-THR-p1: each IPv4 address is one client, also if mapped into IPv6', () => {
  fc.assert(
    fc.property(fc.ipV4(), ip => {
      const [a, b, c, d] = ip.split('.').map(Number) as [number, number, number, number]
      assert.equal(toAddress(ip), ip)
      for (const prefix of ['::ffff:', '::FFFF:', '0:0:0:0:0:ffff:']) {
        assert.equal(toAddress(prefix + ip), ip)
        assert.equal(toAddress(prefix + write([a * 256 + b, c * 256 + d])), ip)
      }
    }),
  )
})

test('LIM-THR-p1: each /64 network of IPv6 is one client', () => {
  // A network of zeros may hold mapped addresses.
  const network = groups(4).filter(([first]) => first !== 0)
  fc.assert(
    fc.property(network, network, groups(4), groups(4), (one, other, host, neighbour) => {
      assert.equal(toAddress(write([...one, ...host])), `${write(one)}::/64`)
      assert.equal(toAddress(write([...one, ...neighbour]).toUpperCase()), `${write(one)}::/64`)
      const isSame = write(one) === write(other)
      assert.equal(toAddress(write([...one, ...host])) === toAddress(write([...other, ...host])), isSame)
    }),
  )
  assert.equal(toAddress('2001:db8::1'), toAddress('2001:0DB8:0::2'))
  assert.equal(toAddress('fe80::1%eth0'), toAddress('fe80::2'))
})

test('all values that are not an address count as one client', () => {
  fc.assert(
    fc.property(fc.string(), text => {
      assert.match(toAddress(text), /^(?:[\d.]+|[\da-f:]+\/64|unknown)$/)
    }),
  )
  for (const text of ['', 'unknown', '_hidden', '1.2.3.4:80', '[::1]', 'localhost', undefined as never])
    assert.equal(toAddress(text), 'unknown')
})
