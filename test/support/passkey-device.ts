// A device with passkeys, as a browser drives it: it answers the options of a page as `navigator.credentials` does.

import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

interface StoredKey {
  readonly id: Buffer
  readonly privateKey: KeyObject
  readonly userHandle: string
  counter: number
}

export interface Device {
  /** The origin of the page; tests change it. */
  origin: string
  /** The host for which the device signs; tests change it. */
  rpId: string
  /** Whether the device asks for a fingerprint or a PIN. */
  verifiesPerson: boolean
  /** Whether the counter stays 0, as that of a passkey which several devices share. */
  isShared: boolean
  readonly keys: StoredKey[]
  /** `id`: of the new passkey; default: a random one. */
  create(options: string, id?: Buffer): string
  /** Signs with the newest key, or the one with this index. */
  get(options: string, index?: number): string
  /** A device with the same keys and counters. */
  copy(): Device
}

export function createDevice(origin: string, keys: StoredKey[] = []): Device {
  const device: Device = {
    origin,
    rpId: new URL(origin).hostname,
    verifiesPerson: true,
    isShared: false,
    keys,
    create(options, id = randomBytes(16)) {
      const { challenge, user } = JSON.parse(options)
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const key = { id, privateKey, userHandle: user.id, counter: 0 }
      keys.push(key)
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
      const cose = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          ...([
            [1, 2],
            [3, -7],
            [-1, 1],
          ] as const),
          [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
          [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
        ]),
      )
      const length = Buffer.from([0, key.id.length])
      const data = Buffer.concat([authenticatorData(device, key, 0x40), Buffer.alloc(16), length, key.id, cose])
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(data)],
      ])
      return formatCredential(key, {
        clientDataJSON: clientData(device, 'webauthn.create', challenge).toString('base64url'),
        attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
        transports: ['internal'],
      })
    },
    get(options, index = keys.length - 1) {
      const key = keys[index]!
      if (!device.isShared) key.counter++
      const data = authenticatorData(device, key)
      const client = clientData(device, 'webauthn.get', JSON.parse(options).challenge)
      const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
      return formatCredential(key, {
        clientDataJSON: client.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, key.privateKey).toString('base64url'),
        userHandle: key.userHandle,
      })
    },
    copy: () =>
      createDevice(
        device.origin,
        keys.map(key => ({ ...key })),
      ),
  }
  return device
}

/** WebAuthn §6.1: the hash of the host, the flags (1: the person is present, 4: verified) and the counter. */
function authenticatorData({ rpId, verifiesPerson }: Device, { counter }: StoredKey, flags = 0): Buffer {
  const end = Buffer.alloc(5)
  end[0] = flags | 1 | (verifiesPerson ? 4 : 0)
  end.writeUInt32BE(counter, 1)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), end])
}

const clientData = ({ origin }: Device, type: string, challenge: string): Buffer =>
  Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

const formatCredential = ({ id }: StoredKey, response: object): string =>
  JSON.stringify({
    id: id.toString('base64url'),
    rawId: id.toString('base64url'),
    type: 'public-key',
    authenticatorAttachment: 'platform',
    clientExtensionResults: {},
    response,
  })
