# What an installation learns of its own log, and a person approves.
learned-title = Read messages differently here ({$changes ->
    [one] {$changes} change
   *[other] {$changes} changes
})
learned-replayed = Of {$decided} recorded decisions {$changed} would be others: {$better} better, {$worse} worse, {$unknown} of which nothing that happened next says it.
learned-more = … and {$more} more; all of them are in the content.
learned-in-force = Version {$number} is in force.
learned-superseded = Version {$number} came first, so nothing was changed. Propose it again from there.
