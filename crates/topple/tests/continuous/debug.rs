use crate::support::*;
use crate::walls::shooting_range;
use topple::math::*;
fn trace<D: Kit>(kind: usize, seed: u64, index: usize, steps: usize) {
    let (mut world, place, normal) = shooting_range::<D>(kind, seed);
    let ids: Vec<_> = world.body_ids().collect();
    for (i, &id) in ids.iter().enumerate() {
        if i != 0 && i != index {
            world.remove_body(id).unwrap();
        }
    }
    let id = ids[index];
    println!(
        "{} {:?}",
        D::wall(kind).0,
        world
            .body(id)
            .unwrap()
            .shapes()
            .map(|s| format!("{:?}", world.shape(s).unwrap().geometry()))
            .collect::<Vec<_>>()
    );
    for step in 0..steps {
        world.step();
        let b = world.body(id).unwrap();
        let h = (b.center().to_vec() - place).dot(normal);
        let c = world.profile().counters;
        let dist: Vec<_> = b
            .shapes()
            .map(|s| {
                world
                    .distance(s, world.body(ids[0]).unwrap().shapes().next().unwrap())
                    .unwrap()
                    .map(|c| c.distance)
            })
            .collect();
        println!(
            "{step}: h {h:.5} vn {:.3} vt {:.2} w {:?} fast {} stopped {} contacts {} dist {dist:?}",
            b.linear_velocity().dot(normal),
            (b.linear_velocity() - normal * b.linear_velocity().dot(normal)).length(),
            b.angular_velocity(),
            c.fast,
            c.stopped,
            c.contacts
        );
    }
}
#[test]
fn debug() {
    let v: Vec<usize> = std::env::var("T").unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    if v[0] == 2 {
        trace::<D2>(v[1], v[2] as u64, v[3], v[4])
    } else {
        trace::<D3>(v[1], v[2] as u64, v[3], v[4])
    }
}

fn many<D: Kit>(seeds: std::ops::Range<u64>) {
    let mut bad = 0;
    for seed in seeds {
        for kind in 0..D::WALLS {
            let (mut world, place, normal) = shooting_range::<D>(kind, seed);
            let ids: Vec<_> = world.body_ids().collect();
            let mut seen = std::collections::HashSet::new();
            for step in 0..40 {
                world.step();
                for (i, &id) in ids.iter().enumerate().skip(1) {
                    let h = (world.body(id).unwrap().center().to_vec() - place).dot(normal);
                    if h <= 0.0 && seen.insert(i) { bad += 1; println!("D{} {} seed {seed} kind {kind} body {i} step {step} h {h}", D::N, D::wall(kind).0); }
                }
            }
        }
    }
    println!("D{} bad {bad}", D::N);
}
#[test]
fn soak() {
    let v: Vec<u64> = std::env::var("S").unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    many::<D2>(v[0]..v[1]);
    many::<D3>(v[0]..v[1]);
}
