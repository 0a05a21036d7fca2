// The users and groups of the demonstration.

const demoUser = {
  username: 'demo',
  email: 'demo@example.com',
  is_staff: true,
  is_superuser: true,
  date_joined: '2026-09-21T08:00:00Z',
  groups: [1, 2],
}

const demoGroups = [
  { id: 1, name: 'Editors' },
  { id: 2, name: 'Maintainers' },
  { id: 3, name: 'Compilers and Tools' },
  { id: 4, name: 'Data Science' },
  { id: 5, name: 'Web Standards' },
  { id: 6, name: 'Guests' },
]

const user = (username: string, host: string, joined: string, ...groups: number[]) => ({
  username,
  email: `${username}@example.${host}`,
  date_joined: `${joined}:00Z`,
  groups,
})

const demoUsers = [
  user('ayse.yilmaz', 'org', '2026-02-03T09:14', 2, 3),
  user('liam.obrien', 'com', '2026-02-11T16:40', 1),
  user('mei.tanaka', 'org', '2026-02-19T04:05', 3),
  user('kwame.mensah', 'com', '2026-02-27T12:31', 4),
  user('sofia.rossi', 'org', '2026-03-06T07:58', 1, 5),
  user('nguyen.linh', 'com', '2026-03-15T03:22', 5),
  user('aarav.sharma', 'org', '2026-03-24T05:47', 2, 4),
  user('freja.nielsen', 'com', '2026-04-01T10:10', 5),
  user('mateo.garcia', 'org', '2026-04-09T18:36'),
  user('zanele.dlamini', 'com', '2026-04-18T08:02', 4),
  user('piotr.kowalski', 'org', '2026-04-27T13:19', 3),
  user('leila.haddad', 'com', '2026-05-05T11:45', 1, 6),
  user('noah.schmidt', 'org', '2026-05-14T06:28', 3),
  user('ana.silva', 'com', '2026-05-23T20:53', 5),
  user('omar.farouk', 'org', '2026-06-01T14:07', 6),
  user('kaia.tamm', 'com', '2026-06-10T09:33', 2),
  user('wei.zhang', 'org', '2026-06-19T02:41', 4),
  user('ines.dubois', 'com', '2026-06-28T15:12', 1, 5),
  user('tui.parata', 'org', '2026-07-07T22:26', 6),
  user('olga.ivanova', 'com', '2026-07-16T07:50', 3, 4),
  user('diego.quispe', 'org', '2026-07-25T17:04'),
  user('minjun.kim', 'com', '2026-08-12T01:39', 2, 5),
  user('amara.okafor', 'org', '2026-08-30T10:55', 4, 6),
  user('elias.virtanen', 'com', '2026-09-14T12:21', 3),
]

export const demoAccounts = { groups: demoGroups, users: [demoUser, ...demoUsers] }
