//! In which order links are eliminated, and what that leaves behind.
//!
//! Two links are coupled if they share a dynamic body. Eliminating a link couples all that were coupled to it, as if its two
//! bodies had become one: the graph of bodies shrinks along its edges. So the neighbours of a link are the other links of
//! the merged bodies at its ends, and a chain, eliminated from its free end, has one at a time: the work is linear.
//!
//! Of links with as few neighbours those go first that wait for the fewest others: a chain is eliminated from both ends in turns. Each
//! link waits for the one before it, and the processor works on the other end meanwhile.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Most links that may be coupled to one when it is eliminated. Beyond it (nets, hubs of many spokes) the work would grow with
/// the square, and sweeps do better.
pub(super) const WIDEST: usize = 12;

/// No body: the ground and whatever does not answer to impulses.
pub(super) const GROUND: u32 = u32::MAX;

/// The columns of the factor, in order of elimination.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The ends for which this was made.
    ends: Vec<[u32; 2]>,
    /// Link of each column.
    pub links: Vec<u32>,
    /// Where each column's couplings begin; one more than columns.
    pub starts: Vec<u32>,
    /// Later columns that each is coupled to, ascending.
    pub rows: Vec<u32>,
    /// For each column and each pair of its couplings (i ≥ j): the coupling that the product goes to, or the diagonal of the
    /// column of i = j.
    pub targets: Vec<u32>,
    /// Couplings that are there from the start: place, and the two links (of the row and of the column).
    pub couplings: Vec<(u32, [u32; 2])>,
    /// True if sweeps do better: some column is too wide, or some link closes a loop, so that rows may contradict each other.
    pub is_refused: bool,
}

/// The cluster that a body is in.
fn find(parent: &mut [u32], mut body: u32) -> u32 {
    while parent[body as usize] != body {
        let up = parent[parent[body as usize] as usize];
        parent[body as usize] = up;
        body = up;
    }
    body
}

/// True if some link joins what is joined already, through the ground too.
fn closes_loops(ends: &[[u32; 2]], bodies: usize) -> bool {
    let mut parent: Vec<u32> = (0..=bodies as u32).collect();
    ends.iter().any(|ends| {
        let [a, b] = ends.map(|end| find(&mut parent, end.min(bodies as u32)));
        parent[a as usize] = b;
        a == b
    })
}

impl Order {
    /// Finds the order for links with the given ends, if it is not that of the last time.
    pub(super) fn update(&mut self, ends: impl Iterator<Item = [u32; 2]> + Clone, bodies: usize) {
        if ends.clone().eq(self.ends.iter().copied()) {
            return;
        }
        self.ends.clear();
        self.ends.extend(ends);
        self.eliminate(bodies);
    }

    fn eliminate(&mut self, bodies: usize) {
        let Self { ends, links, starts, rows, targets, couplings, is_refused } = self;
        for list in [&mut *links, starts, rows, targets] {
            list.clear();
        }
        couplings.clear();
        *is_refused = closes_loops(ends, bodies);
        if *is_refused {
            return;
        }
        // Links at each body, and later at each cluster of merged ones.
        let mut parent: Vec<u32> = (0..bodies as u32).collect();
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); bodies];
        for (link, ends) in ends.iter().enumerate() {
            ends.iter()
                .filter(|&&end| end != GROUND)
                .for_each(|&end| members[end as usize].push(link as u32));
        }
        let degree = |parent: &mut [u32], members: &[Vec<u32>], link: usize| {
            let clusters = ends[link].map(|end| if end == GROUND { GROUND } else { find(parent, end) });
            let count =
                |cluster: u32| if cluster == GROUND { 0 } else { members[cluster as usize].len() - 1 };
            if clusters[0] == clusters[1] {
                count(clusters[0])
            } else {
                count(clusters[0]) + count(clusters[1])
            }
        };
        // How many eliminations wait for each other up to that of a link.
        let mut levels = vec![0_u32; ends.len()];
        let mut queue = BinaryHeap::new();
        for link in 0..ends.len() {
            queue.push(Reverse((degree(&mut parent, members.as_slice(), link), 0, link as u32)));
        }
        let mut column_of = vec![u32::MAX; ends.len()];
        // `rows` holds links until all columns are known.
        while let Some(Reverse((known, level, link))) = queue.pop() {
            if column_of[link as usize] != u32::MAX {
                continue;
            }
            let now = degree(&mut parent, members.as_slice(), link as usize);
            if (now, levels[link as usize]) != (known, level) {
                queue.push(Reverse((now, levels[link as usize], link)));
                continue;
            }
            if now > WIDEST {
                *is_refused = true;
                return;
            }
            column_of[link as usize] = links.len() as u32;
            links.push(link);
            starts.push(rows.len() as u32);
            let clusters =
                ends[link as usize].map(|end| if end == GROUND { GROUND } else { find(&mut parent, end) });
            let mut merged: Vec<u32> = Vec::new();
            for &cluster in clusters.iter().filter(|&&cluster| cluster != GROUND) {
                merged.append(&mut members[cluster as usize]);
            }
            merged.sort_unstable();
            merged.dedup();
            merged.retain(|&other| other != link);
            rows.extend_from_slice(&merged);
            if let Some(&keep) = clusters.iter().find(|&&cluster| cluster != GROUND) {
                for &cluster in clusters.iter().filter(|&&cluster| cluster != GROUND) {
                    parent[cluster as usize] = keep;
                }
                members[keep as usize] = merged;
                for i in 0..members[keep as usize].len() {
                    let other = members[keep as usize][i];
                    let after = levels[other as usize].max(level + 1);
                    levels[other as usize] = after;
                    let degree = degree(&mut parent, members.as_slice(), other as usize);
                    queue.push(Reverse((degree, after, other)));
                }
            }
        }
        starts.push(rows.len() as u32);
        for column in 0..links.len() {
            let range = starts[column] as usize..starts[column + 1] as usize;
            rows[range.clone()].iter_mut().for_each(|row| *row = column_of[*row as usize]);
            rows[range].sort_unstable();
        }
        self.find_targets(&column_of);
    }

    /// Where products and first couplings go.
    fn find_targets(&mut self, column_of: &[u32]) {
        let Self { ends, links, starts, rows, targets, couplings, .. } = self;
        let place = |row: u32, column: u32| {
            let range = starts[column as usize] as usize..starts[column as usize + 1] as usize;
            let at = rows[range.clone()].binary_search(&row).expect("elimination couples its neighbours");
            (range.start + at) as u32
        };
        for column in 0..links.len() {
            let range = starts[column] as usize..starts[column + 1] as usize;
            for i in range.clone() {
                for j in range.start..i {
                    targets.push(place(rows[i], rows[j]));
                }
                targets.push(rows[i]);
            }
        }
        // Links that share a body.
        let mut at: Vec<(u32, u32)> = Vec::new();
        for (link, ends) in ends.iter().enumerate() {
            at.extend(ends.iter().filter(|&&end| end != GROUND).map(|&end| (end, link as u32)));
        }
        at.sort_unstable();
        let mut seen: Vec<[u32; 2]> = Vec::new();
        for (i, &(body, link)) in at.iter().enumerate() {
            for &(_, other) in at[i + 1..].iter().take_while(|entry| entry.0 == body) {
                if link != other {
                    let [a, b] = [link, other].map(|link| column_of[link as usize]);
                    seen.push([a.max(b), a.min(b)]);
                }
            }
        }
        seen.sort_unstable();
        seen.dedup();
        let entry =
            |&[row, column]: &[u32; 2]| (place(row, column), [links[row as usize], links[column as usize]]);
        couplings.extend(seen.iter().map(entry));
    }
}
