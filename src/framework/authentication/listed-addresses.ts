import { BlockList, isIPv6 } from 'node:net'

/**
 * Whether an address is one of these addresses and networks, such as `10.0.0.0/8`; one that is not known is none. Throws
 * where an item of the list is no address. It also knows an IPv4 address that is written as an IPv6 one.
 */
export function listedAddresses(list: readonly string[]): (address: string | undefined) => boolean {
  const listed = new BlockList()
  for (const item of list) {
    const [address = '', bits] = item.split('/')
    if (bits === undefined) listed.addAddress(address, family(address))
    else listed.addSubnet(address, Number(bits), family(address))
  }
  return address => address !== undefined && listed.check(address, family(address))
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
