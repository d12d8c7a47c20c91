// `models.mjs DOCUMENTS MODELS`: checks that resources of the operators match their published types. The models' own
// validators check values but accept unknown fields, so TypeScript compiles the documents against the types as well.
// Prints one line per problem.

import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const PACKAGES = {
  'cert-manager.io': 'cert-manager',
  'postgresql.cnpg.io': 'cloudnative-pg',
  'keda.sh': 'keda',
  'monitoring.coreos.com': 'prometheus-operator',
}

const [documentsFile, programs] = process.argv.slice(2)
const modules = dirname(resolve(programs))
const documents = JSON.parse(readFileSync(documentsFile, 'utf8'))
const source = ['// Written by models.mjs.']
const lines = new Map()

for (const [number, { name, document }] of documents.entries()) {
  const [group] = document.apiVersion.split('/')
  if (!(group in PACKAGES)) {
    console.log(`${name}: nothing knows ${document.apiVersion}`)
    continue
  }
  const path = `@kubernetes-models/${PACKAGES[group]}/${document.apiVersion}/${document.kind}`
  const model = await import(pathToFileURL(join(modules, `${path}.js`)).href)
  try {
    new model[document.kind](document).validate()
  } catch (error) {
    console.log(`${name}: ${error.message}`)
  }
  source.push(`import type { I${document.kind} as I${number} } from '${path}'`)
  source.push(`export const document${number}: I${number} = ${JSON.stringify(document)}`)
  lines.set(source.length, name)
}

// Beside the models, where the compiler finds them.
const file = join(modules, '..', 'manifests.ts')
writeFileSync(file, `${source.join('\n')}\n`)
const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--moduleResolution', 'nodenext', '--pretty', 'false']
try {
  execFileSync(join(programs, 'tsc'), [...options, file], { encoding: 'utf8' })
} catch (error) {
  const said = String(error.stdout).split('\n')
  const faults = said.filter((line) => /: error TS/.test(line))
  if (faults.length === 0) throw error
  for (const fault of faults) {
    const [, line] = fault.match(/\((\d+),\d+\): error/) ?? []
    console.log(`${lines.get(Number(line)) ?? 'the documents'}: ${fault.replace(/^.*error /, '')}`)
  }
}
