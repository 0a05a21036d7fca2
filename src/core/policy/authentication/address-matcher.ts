import { BlockList, isIPv6 } from 'node:net'

/**
 * Creates a function that tests whether an address is in a list of addresses and networks, such as `10.0.0.0/8`. The
 * function returns false for undefined. IPv4-mapped IPv6 addresses match too. Throws if an item of the list is
 * neither an address nor a network.
 */
export function createAddressMatcher(list: readonly string[]): (address: string | undefined) => boolean {
  const listed = new BlockList()
  for (const item of list) {
    const [address = '', bits] = item.split('/')
    if (bits === undefined) listed.addAddress(address, family(address))
    else listed.addSubnet(address, Number(bits), family(address))
  }
  return address => address !== undefined && listed.check(address, family(address))
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
