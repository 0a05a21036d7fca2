// NetBox ConnectedDeviceViewSet, whose rights are conditions in rows.

import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import {
  APIException,
  authenticated,
  boolean,
  decimal,
  forTypes,
  type Identity,
  integer,
  json,
  key,
  NotFound,
  rowFilter,
  text,
  view,
} from 'resource-api'
import { created, reference, stored, table, tables, updated } from 'resource-api/tables'
import { caller, type Loose, now, type Step, testPairs } from './support.ts'

/** A table whose database fills what a row does not say. */
const define = (name: string, options: Loose): Loose => {
  const filled = Object.entries(options.columns as Loose).filter(([, column]: Loose) => column.default !== undefined)
  return table(name, {
    ...options,
    defaults: Object.fromEntries(filled.map(([each, column]: Loose) => [each, column.default])),
  })
}
const optional = (name: string, relatedName: string) => reference(name, { nullable: true, relatedName })
const described = { description: text({ blank: true, default: '' }) }
const named = { id: key(), name: text(), ...described }
const slugged = { ...named, slug: text() }
const nestedGroup = { ...slugged, level: integer({ default: 0 }) }
const counters = [
  ...['console_port', 'console_server_port', 'power_port', 'power_outlet', 'interface', 'front_port', 'rear_port'],
  ...['device_bay', 'module_bay', 'inventory_item'],
].map(name => `${name}_count`)
const deviceTable = define('devices', {
  columns: {
    id: key(),
    name: text({ nullable: true }),
    label: text({ nullable: true }),
    device_type: reference('device_types'),
    role: reference('device_roles'),
    tenant: optional('tenants', 'devices'),
    platform: optional('platforms', 'devices'),
    site: reference('sites', { relatedName: 'devices' }),
    location: optional('locations', 'devices'),
    rack: optional('racks', 'devices'),
    cluster: optional('clusters', 'devices'),
    virtual_chassis: optional('virtual_chassis', 'members'),
    config_template: optional('config_templates', 'devices'),
    owner: optional('owners', 'devices'),
    primary_ip4: optional('ip_addresses', 'first_devices'),
    primary_ip6: optional('ip_addresses', 'second_devices'),
    oob_ip: optional('ip_addresses', 'third_devices'),
    ...Object.fromEntries(
      ['serial', 'face', 'airflow', 'comments', 'description'].map(name => [name, text({ blank: true, default: '' })]),
    ),
    asset_tag: text({ nullable: true }),
    status: text({ default: 'active' }),
    position: decimal({ maxDigits: 4, decimalPlaces: 1, nullable: true }),
    latitude: decimal({ maxDigits: 8, decimalPlaces: 6, nullable: true }),
    longitude: decimal({ maxDigits: 9, decimalPlaces: 6, nullable: true }),
    vc_position: integer({ nullable: true }),
    vc_priority: integer({ nullable: true }),
    local_context_data: json({ nullable: true }),
    custom_field_data: json({ nullable: true }),
    created: created(),
    last_updated: updated(),
    ...Object.fromEntries(counters.map(name => [name, integer({ default: 0 })])),
  } as Loose,
})
const interfaceTable = define('interfaces', {
  columns: {
    id: key(),
    device: reference('devices', { relatedName: 'interfaces' }),
    name: text(),
    // The end of its path.
    endpoint_type: text({ nullable: true }),
    endpoint_id: integer({ nullable: true }),
  },
})
const schema = tables({
  owner: 'pairs',
  tables: [
    deviceTable,
    interfaceTable,
    define('manufacturers', { columns: slugged }),
    define('device_types', {
      columns: {
        id: key(),
        manufacturer: reference('manufacturers'),
        ...{ model: text(), slug: text(), ...described, device_count: integer({ default: 0 }) },
      },
    }),
    ...['device_roles', 'platforms', 'locations'].map(name => define(name, { columns: nestedGroup })),
    ...['tenants'].map(name => define(name, { columns: slugged })),
    define('sites', { columns: { ...slugged, region: integer({ nullable: true }) } }),
    define('racks', { columns: { ...named, facility_id: text({ nullable: true }) } }),
    ...['clusters', 'config_templates', 'owners'].map(name => define(name, { columns: named })),
    define('virtual_chassis', {
      columns: { ...named, master: optional('devices', 'led_chassis'), member_count: integer({ default: 0 }) },
    }),
    define('ip_addresses', {
      columns: {
        id: key(),
        ...{ address: text(), family: integer(), dns_name: text({ blank: true, default: '' }), ...described },
        nat_inside: optional('ip_addresses', 'nat_outside'),
      },
    }),
    define('tags', { columns: { ...slugged, color: text() } }),
    define('device_tags', {
      key: ['device', 'tag'],
      columns: { device: reference('devices'), tag: reference('tags') },
    }),
    define('device_bays', {
      columns: {
        id: key(),
        ...{ name: text(), label: text({ blank: true, default: '' }) },
        device: reference('devices', { relatedName: 'bays' }),
        installed_device: optional('devices', 'parent_bay'),
      },
    }),
    define('custom_fields', { columns: { id: key(), name: text(), type: text(), object_types: json() } }),
    define('object_permissions', {
      columns: {
        id: key(),
        enabled: boolean({ default: true }),
        ...{ object_types: json(), actions: json(), constraints: json({ nullable: true }) },
      },
    }),
    define('object_permission_users', {
      key: ['permission', 'user_id'],
      columns: { permission: reference('object_permissions'), user_id: integer() },
    }),
    define('object_permission_groups', {
      key: ['permission', 'group_id'],
      columns: { permission: reference('object_permissions'), group_id: integer() },
    }),
    define('group_users', { key: ['group_id', 'user_id'], columns: { group_id: integer(), user_id: integer() } }),
  ] as Loose,
})
const { resource } = forTypes<Identity & { isSuperuser: boolean }>() as Loose
const parse = (given: unknown) => (typeof given === 'string' ? JSON.parse(given) : given)

// NetBox ConnectedDeviceViewSet
/** `restrict(user, action)`: the conditions of the object permissions that the user and the user's groups have. */
const restrict = (type: string, action: string) =>
  stored<Loose>(async ({ user, view: { connection } }) => {
    if (user.isSuperuser) return [{}]
    const { kysely } = connection()
    const groups = kysely.selectFrom('group_users').select('group_id').where('user_id', '=', user.id)
    const rows: Loose[] = await kysely
      .selectFrom('object_permissions')
      .select(['enabled', 'object_types', 'actions', 'constraints'])
      .where((where: Loose) => {
        const given = (owner: string) => where.selectFrom(`object_permission_${owner}s`).select('permission_id')
        return where.or([
          where('id', 'in', given('user').where('user_id', '=', user.id)),
          where('id', 'in', given('group').where('group_id', 'in', groups)),
        ])
      })
      .execute()
    const replace = (value: unknown): unknown =>
      Array.isArray(value) ? value.map(replace) : value === '$user' ? user.id : value
    return rows
      .filter(({ enabled, object_types, actions }) => {
        const isMeant = parse(object_types).includes(type) && parse(actions).includes(action)
        return Boolean(enabled) && isMeant
      })
      .flatMap(({ constraints }) => parse(constraints) ?? {})
      .map((each: Loose) =>
        Object.fromEntries(Object.entries(each ?? {}).map(([name, value]) => [name, replace(value)])),
      )
  })
const restricted = (name: string, type: string, own: Loose) =>
  resource(name, {
    table: own,
    actions: ['retrieve'],
    fields: own.pick('id'),
    permissions: [rowFilter(restrict(type, 'view') as Loose)],
  })
const devices = restricted('devices', 'dcim.device', deviceTable)
const interfaces = restricted('interfaces', 'dcim.interface', interfaceTable)

class MissingFilter extends APIException {
  static override status = 400
  static override message = 'Request must include "peer_device" and "peer_interface" filters.'
  static override code = 'missing_filter'
}
const titleCase = (value: string) => value.replaceAll('-', ' ').replace(/^./, first => first.toUpperCase())
const choose = (value: string) => (value === '' ? null : { value, label: titleCase(value) })
const toNumber = (value: unknown) => (value === null ? null : Number(value))

/** The serializers, for one device. */
function createSerializers({ database: { kysely }, baseUrl }: Loose) {
  const find = async (from: string, id: unknown): Promise<Loose> =>
    id === null ? null : kysely.selectFrom(from).selectAll().where('id', '=', id).executeTakeFirst()
  const link = (path: string, id: unknown) => ({ url: `${baseUrl}/${path}/${id}/` })
  const links = (path: string, id: unknown) => ({
    ...link(path, id),
    display_url: `${baseUrl.replace(/\/api$/, '')}/${path}/${id}/`,
  })
  /** A nested serializer: `brief_fields`. */
  const brief = async (from: string, path: string, id: unknown, show: (row: Loose) => Loose = () => ({})) => {
    const row = await find(from, id)
    if (row === null) return null
    const { name, slug, description } = row
    const common = { id, ...link(path, id), display: name, name, ...(slug !== undefined && { slug }), description }
    return { ...common, ...(await show(row)) }
  }
  const withDepth = ({ level }: Loose) => ({ device_count: 0, virtualmachine_count: 0, _depth: level })
  const showType = async (id: unknown) => {
    const { model, slug, description, device_count, manufacturer_id } = await find('device_types', id)
    const manufacturer = await brief('manufacturers', 'dcim/manufacturers', manufacturer_id)
    const common = { id, ...link('dcim/device-types', id), display: model, manufacturer }
    return { ...common, model, slug, description, device_count }
  }
  const display = async ({ id, name, label, asset_tag, device_type_id }: Loose) => {
    const own = label ?? name
    if (own) return asset_tag ? `${own} (${asset_tag})` : own
    const { manufacturer, model } = await showType(device_type_id)
    return `${(manufacturer as Loose).name} ${model} (${asset_tag ?? id})`
  }
  /** `NestedDeviceSerializer`. */
  const showDevice = async (row: Loose) => ({
    ...{ id: row.id, ...links('dcim/devices', row.id), display: await display(row), name: row.name },
  })
  const showNat = ({ id, address, family }: Loose) => ({
    ...{ id, ...links('ipam/ip-addresses', id), display: address, family, address },
  })
  const showAddress = async (id: unknown) => {
    const row = await find('ip_addresses', id)
    if (row === null) return null
    const { address, family, description, dns_name, nat_inside_id } = row
    const inside = await find('ip_addresses', nat_inside_id)
    const outside = await kysely.selectFrom('ip_addresses').selectAll().where('nat_inside_id', '=', id).execute()
    return {
      ...{ id, ...link('ipam/ip-addresses', id), display: address, address, description, dns_name },
      family: { value: family, label: `IPv${family}` },
      nat_inside: inside && showNat(inside),
      nat_outside: outside.map(showNat),
    }
  }
  const showParent = async (id: unknown) => {
    const bay = await kysely
      .selectFrom('device_bays')
      .selectAll()
      .where('installed_device_id', '=', id)
      .executeTakeFirst()
    if (bay === undefined) return null
    const device = await showDevice(await find('devices', bay.device_id))
    const shown = bay.label === '' ? bay.name : `${bay.name} (${bay.label})`
    const device_bay = { id: bay.id, ...links('dcim/device-bays', bay.id), display: shown, device, name: bay.name }
    return { ...device, device_bay }
  }
  const showTags = async (id: unknown) => {
    const tagged = kysely.selectFrom('device_tags').select('tag_id').where('device_id', '=', id)
    const rows = await kysely.selectFrom('tags').selectAll().where('id', 'in', tagged).orderBy('name').execute()
    return rows.map(({ id: tag, name, slug, color }: Loose) => ({
      ...{ id: tag, ...links('extras/tags', tag), display: name, name, slug, color },
    }))
  }
  const showCustomFields = async (data: Loose) => {
    const rows = await kysely.selectFrom('custom_fields').selectAll().orderBy('name').execute()
    const own = rows.filter(({ object_types }: Loose) => parse(object_types).includes('dcim.device'))
    return Object.fromEntries(own.map(({ name }: Loose) => [name, data?.[name] ?? null]))
  }
  return async (id: unknown) => {
    const row = await find('devices', id)
    const [primary_ip4, primary_ip6] = [await showAddress(row.primary_ip4_id), await showAddress(row.primary_ip6_id)]
    const plain = [
      'serial',
      'asset_tag',
      'vc_position',
      'vc_priority',
      'description',
      'comments',
      'created',
      'last_updated',
    ]
    return {
      ...(await showDevice(row)),
      ...Object.fromEntries([...plain, ...counters].map(name => [name, row[name]])),
      device_type: await showType(row.device_type_id),
      role: await brief('device_roles', 'dcim/device-roles', row.role_id, withDepth),
      tenant: await brief('tenants', 'tenancy/tenants', row.tenant_id),
      platform: await brief('platforms', 'dcim/platforms', row.platform_id, withDepth),
      site: await brief('sites', 'dcim/sites', row.site_id),
      location: await brief('locations', 'dcim/locations', row.location_id, ({ level }) => ({
        rack_count: 0,
        _depth: level,
      })),
      rack: await brief('racks', 'dcim/racks', row.rack_id, ({ name, facility_id }) => ({
        display: facility_id ? `${name} (${facility_id})` : name,
      })),
      ...{ position: toNumber(row.position), latitude: toNumber(row.latitude), longitude: toNumber(row.longitude) },
      ...{ face: choose(row.face), status: choose(row.status), airflow: choose(row.airflow) },
      parent_device: await showParent(id),
      ...{ primary_ip: primary_ip6 ?? primary_ip4, primary_ip4, primary_ip6, oob_ip: await showAddress(row.oob_ip_id) },
      cluster: await brief('clusters', 'virtualization/clusters', row.cluster_id),
      virtual_chassis: await brief(
        'virtual_chassis',
        'dcim/virtual-chassis',
        row.virtual_chassis_id,
        async chassis => ({
          master: chassis.master_id && (await showDevice(await find('devices', chassis.master_id))),
          member_count: chassis.member_count,
        }),
      ),
      owner: await brief('owners', 'users/owners', row.owner_id),
      config_template: await brief('config_templates', 'extras/config-templates', row.config_template_id),
      local_context_data: parse(row.local_context_data),
      tags: await showTags(id),
      custom_fields: await showCustomFields(parse(row.custom_field_data)),
    }
  }
}

const connectedDevice = view({
  name: 'Connected Device Locator',
  permissions: [authenticated],
  query: {
    peer_device: text({ blank: true, default: '', help: 'The name of the peer device' }),
    peer_interface: text({ blank: true, default: '', help: 'The name of the peer interface' }),
  },
  handlers: {
    async GET(context: Loose) {
      const { query, represent, database } = context
      if (query.peer_device === '' || query.peer_interface === '') throw new MissingFilter()
      /** `get_object_or_404` among the rows that exist for the caller. */
      const findVisible = async (of: Loose, model: string, rows: readonly { readonly id: unknown }[]) => {
        for (const { id } of rows) {
          const found = await represent(of, id).catch((error: unknown) => {
            if (!(error instanceof NotFound)) throw error
          })
          if (found !== undefined) return id
        }
        throw new NotFound(`No ${model} matches the given query.`)
      }
      const select = (from: string) => database.kysely.selectFrom(from).selectAll()
      const peers = await select('devices').where('name', '=', query.peer_device).execute()
      const peer = await findVisible(devices, 'Device', peers)
      const ports = select('interfaces').where('device_id', '=', peer).where('name', '=', query.peer_interface)
      const port = await findVisible(interfaces, 'Interface', await ports.execute())
      const { endpoint_type, endpoint_id } = await select('interfaces').where('id', '=', port).executeTakeFirst()
      if (endpoint_type !== 'dcim.interface') throw new NotFound()
      const end = await select('interfaces').where('id', '=', endpoint_id).executeTakeFirst()
      const id = await findVisible(devices, 'Device', [{ id: end.device_id }])
      return { status: 200, body: await createSerializers(context)(id) }
    },
  },
} as Loose)

const moment = { created: now, last_updated: now }
const base = { device_type_id: 1, role_id: 1, site_id: 1, ...moment }
const ask = (who: string, device: string, port: string) =>
  `${who} GET /api/dcim/connected-device/?peer_device=${device}&peer_interface=${port}`
const missing = (model: string) => ({ detail: `No ${model} matches the given query.` })
const types = ['dcim.device', 'dcim.interface']
const api = (path: string, id: number) => expectedOrigin(`/api/${path}/${id}/`)
let origin = ''
const expectedOrigin = (path: string) => `${origin}${path}`

testPairs(
  {
    schema,
    callers: Object.fromEntries(
      ['sue', 'ann', 'bob', 'cid', 'dan', 'eve'].map((name, index) => [
        name,
        caller(index + 1, name, { isSuperuser: name === 'sue' }),
      ]),
    ),
    rows: {
      manufacturers: [{ name: 'Acme', slug: 'acme' }],
      device_types: [{ manufacturer_id: 1, model: 'X1', slug: 'x1', device_count: 3 }],
      device_roles: [{ name: 'leaf', slug: 'leaf', level: 1 }],
      platforms: [{ name: 'os', slug: 'os' }],
      locations: [{ name: 'hall', slug: 'hall', level: 2 }],
      tenants: [{ name: 'T', slug: 't' }],
      sites: [
        { name: 'north', slug: 'north', region: 1 },
        { name: 'south', slug: 'south', region: 2 },
      ],
      racks: [{ name: 'R', facility_id: 'F' }],
      clusters: [{ name: 'C' }],
      config_templates: [{ name: 'tpl' }],
      owners: [{ name: 'net' }],
      virtual_chassis: [{ name: 'vc', member_count: 1 }],
      ip_addresses: [
        { address: '10.0.0.1/24', family: 4, dns_name: 'a.example.org' },
        { address: '2001:db8::1/64', family: 6, nat_inside_id: 1 },
      ],
      tags: [{ name: 'core', slug: 'core', color: 'ff0000' }],
      devices: [
        { ...base, name: 'peer' },
        {
          ...base,
          ...{
            name: 'box',
            asset_tag: 'A7',
            serial: 'S',
            site_id: 2,
            tenant_id: 1,
            platform_id: 1,
            location_id: 1,
            rack_id: 1,
          },
          ...{
            cluster_id: 1,
            virtual_chassis_id: 1,
            config_template_id: 1,
            owner_id: 1,
            primary_ip4_id: 1,
            oob_ip_id: 2,
          },
          ...{ face: 'front', airflow: 'front-to-rear', position: '1.5', latitude: '1.250000', vc_position: 1 },
          ...{ local_context_data: { a: 1 }, custom_field_data: { color: 'red', old: 1 }, interface_count: 1 },
        },
        { ...base, name: null, site_id: 2 },
      ],
      device_tags: [{ device_id: 2, tag_id: 1 }],
      device_bays: [{ name: 'bay', label: 'L', device_id: 1, installed_device_id: 2 }],
      custom_fields: [
        { name: 'color', type: 'text', object_types: ['dcim.device'] },
        { name: 'due', type: 'date', object_types: ['dcim.device', 'dcim.site'] },
        { name: 'other', type: 'text', object_types: ['dcim.site'] },
      ],
      interfaces: [
        { device_id: 1, name: 'eth0', endpoint_type: 'dcim.interface', endpoint_id: 2 },
        { device_id: 2, name: 'eth0', endpoint_type: 'dcim.interface', endpoint_id: 1 },
        { device_id: 1, name: 'eth1', endpoint_type: 'dcim.frontport', endpoint_id: 1 },
        { device_id: 1, name: 'eth2' },
        { device_id: 1, name: 'eth3', endpoint_type: 'dcim.interface', endpoint_id: 6 },
        { device_id: 3, name: 'eth0' },
      ],
      object_permissions: [
        { object_types: types, actions: ['view'], constraints: null },
        { object_types: ['dcim.device'], actions: ['view'], constraints: [{ site__region: 1 }, { tenant__slug: 't' }] },
        { object_types: ['dcim.interface'], actions: ['view'], constraints: { device__site__region__in: [1, 3] } },
        { object_types: types, actions: ['view'], constraints: null, enabled: false },
        { object_types: types, actions: ['change'], constraints: null },
        { object_types: ['dcim.device'], actions: ['view'], constraints: { site__colour: 1 } },
        { object_types: ['dcim.device'], actions: ['view'], constraints: { id__in: ['$user', 1] } },
      ],
      object_permission_users: [
        ...[
          { permission_id: 2, user_id: 3 },
          { permission_id: 3, user_id: 3 },
        ],
        ...[
          { permission_id: 4, user_id: 4 },
          { permission_id: 5, user_id: 4 },
          { permission_id: 6, user_id: 4 },
        ],
        ...[
          { permission_id: 3, user_id: 5 },
          { permission_id: 7, user_id: 5 },
        ],
      ],
      object_permission_groups: [{ permission_id: 1, group_id: 1 }],
      group_users: [{ group_id: 1, user_id: 2 }],
    },
    apis: { '/api': { resources: [devices, interfaces], views: { '/dcim/connected-device/': connectedDevice } } },
    pairs: {
      'NetBox ConnectedDeviceViewSet': [
        [ask('-', 'peer', 'eth0'), null, 401],
        ['sue GET /api/dcim/connected-device/?peer_device=peer', null, 400, { detail: MissingFilter.message }],
        [
          'sue GET /api/dcim/connected-device/?peer_device=&peer_interface=eth0',
          null,
          400,
          { detail: MissingFilter.message },
        ],
        [ask('sue', 'x', 'eth0'), null, 404, missing('Device')],
        [ask('sue', 'peer', 'x'), null, 404, missing('Interface')],
        [ask('sue', 'peer', 'eth1'), null, 404, { detail: 'Not found.' }],
        [ask('sue', 'peer', 'eth2'), null, 404, { detail: 'Not found.' }],
        [
          ask('sue', 'peer', 'eth0'),
          null,
          200,
          (response: Loose) => {
            const shown = response.json()
            origin = shown.url.replace('/api/dcim/devices/2/', '')
            const site = {
              id: 2,
              url: api('dcim/sites', 2),
              display: 'south',
              name: 'south',
              slug: 'south',
              description: '',
            }
            const first = { id: 1, url: api('ipam/ip-addresses', 1), display: '10.0.0.1/24', address: '10.0.0.1/24' }
            const second = {
              id: 2,
              url: api('ipam/ip-addresses', 2),
              display: '2001:db8::1/64',
              address: '2001:db8::1/64',
            }
            const peer = {
              id: 1,
              url: api('dcim/devices', 1),
              display_url: expectedOrigin('/dcim/devices/1/'),
              display: 'peer',
              name: 'peer',
            }
            const parts: Loose = {
              ...{
                id: 2,
                display: 'box (A7)',
                name: 'box',
                serial: 'S',
                asset_tag: 'A7',
                site,
                position: 1.5,
                latitude: 1.25,
              },
              display_url: expectedOrigin('/dcim/devices/2/'),
              longitude: null,
              ...{
                face: { value: 'front', label: 'Front' },
                airflow: { value: 'front-to-rear', label: 'Front to rear' },
              },
              status: { value: 'active', label: 'Active' },
              role: {
                ...{
                  id: 1,
                  url: api('dcim/device-roles', 1),
                  display: 'leaf',
                  name: 'leaf',
                  slug: 'leaf',
                  description: '',
                },
                ...{ device_count: 0, virtualmachine_count: 0, _depth: 1 },
              },
              device_type: {
                ...{ id: 1, url: api('dcim/device-types', 1), display: 'X1', model: 'X1', slug: 'x1', description: '' },
                device_count: 3,
                manufacturer: {
                  ...{
                    id: 1,
                    url: api('dcim/manufacturers', 1),
                    display: 'Acme',
                    name: 'Acme',
                    slug: 'acme',
                    description: '',
                  },
                },
              },
              rack: { id: 1, url: api('dcim/racks', 1), display: 'R (F)', name: 'R', description: '' },
              parent_device: {
                ...peer,
                device_bay: {
                  ...{ id: 1, url: api('dcim/device-bays', 1), display_url: expectedOrigin('/dcim/device-bays/1/') },
                  ...{ display: 'bay (L)', device: peer, name: 'bay' },
                },
              },
              primary_ip: {
                ...{
                  ...first,
                  description: '',
                  dns_name: 'a.example.org',
                  family: { value: 4, label: 'IPv4' },
                  nat_inside: null,
                },
                nat_outside: [{ ...second, family: 6, display_url: expectedOrigin('/ipam/ip-addresses/2/') }],
              },
              primary_ip6: null,
              virtual_chassis: {
                ...{ id: 1, url: api('dcim/virtual-chassis', 1), display: 'vc', name: 'vc', description: '' },
                ...{ master: null, member_count: 1 },
              },
              tags: [
                {
                  ...{ id: 1, url: api('extras/tags', 1), display_url: expectedOrigin('/extras/tags/1/') },
                  ...{ display: 'core', name: 'core', slug: 'core', color: 'ff0000' },
                },
              ],
              ...{ local_context_data: { a: 1 }, custom_fields: { color: 'red', due: null }, interface_count: 1 },
              ...moment,
            }
            const found = Object.fromEntries(Object.keys(parts).map(name => [name, shown[name]]))
            deepEqual([found, Object.keys(shown).length], [parts, 48])
          },
        ],
        [ask('sue', 'peer', 'eth3'), null, 200, /"display":"Acme X1 \(3\)"/],
        // A permission of a group without constraints.
        [ask('ann', 'peer', 'eth0'), null, 200, /"name":"box"/],
        // Devices in a region or of a tenant, and interfaces of devices in a region.
        [ask('bob', 'peer', 'eth0'), null, 200, /"name":"box"/],
        [ask('bob', 'box', 'eth0'), null, 404, missing('Interface')],
        [ask('bob', 'peer', 'eth3'), null, 404, missing('Device')],
        // A disabled permission, one for another action, and a wrong one.
        [ask('cid', 'peer', 'eth0'), null, 404, missing('Device')],
        // "$user" is the id of the caller.
        [ask('dan', 'peer', 'eth0'), null, 404, missing('Device')],
        [ask('eve', 'peer', 'eth0'), null, 404, missing('Device')],
      ] as Step[],
    },
  },
  (name, run) => test(name, run),
)
