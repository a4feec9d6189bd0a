//! Classes keep their promise, and seeds meet what they must.

use super::{
    walk::{extreme, special},
    *,
};
use std::collections::BTreeSet;

fn draw(class: Class, seed: u64) -> Draw {
    Draw {
        class,
        walk: Walk::of(seed, 0),
    }
}

#[test]
fn two_scalars_meet_all_pairs_of_special_numbers() {
    let one = |seed: u64, first: usize| {
        let walk = Walk::of(seed, first);
        let draw = Draw {
            class: Class::Special,
            walk,
        };
        let mut random = Random::new(seed, first as u64);
        let t = drawn(&[], &ElementType::F32, draw, &Role::default(), &mut random);
        t.to_f64s()[0].to_bits()
    };
    let (some, more) = (special(&ElementType::F32), extreme(&ElementType::F32));
    let integers = integers_of(&ElementType::U64, Class::Boundary, &Role::default());
    let [floats, all] = Walk::LENGTHS;
    assert!(some.len().max(more.len()) <= floats && integers.len() <= all);
    let length = floats as u64;
    let met: BTreeSet<_> = (0..2 * length * length)
        .map(|s| (one(s, 0), one(s, 1)))
        .collect();
    // 0, -0, 1 and -1 are in both.
    let pairs = some.len() * some.len() + more.len() * more.len() - 16;
    assert_eq!(met.len(), pairs);
    let met: BTreeSet<_> = (0..2 * length).map(|s| one(s, 0)).collect();
    assert_eq!(met.len(), some.len() + more.len() - 4);
}

#[test]
fn numbers_beside_the_middle_of_narrower_ones_round_otherwise_in_two_steps() {
    let mut random = Random::new(1, 1);
    let twice = |x: f64| half::bf16::from_f32(x as f32).to_f64();
    let once = |x: f64| Tensor::from_f64s(&[1], &ElementType::BF16, &[x]).to_f64s()[0];
    let met = (0..2000).map(|_| near_a_middle(&ElementType::F64, &mut random));
    assert!(met.filter(|x| twice(*x) != once(*x)).count() > 20);
}

#[test]
fn the_same_seed_gives_the_same_bytes_and_classes_keep_their_promise() {
    let role = Role {
        index_below: Some(10),
        domain: Domain::Positive,
    };
    for class in Class::ALL {
        let make = || {
            drawn(
                &[200],
                &ElementType::F32,
                draw(class, 3),
                &role,
                &mut Random::new(3, 1),
            )
        };
        assert_eq!(make(), make());
    }
    let indices = drawn(
        &[500],
        &ElementType::I32,
        draw(Class::Normal, 3),
        &role,
        &mut Random::new(3, 1),
    );
    assert!(indices.to_i64s().iter().all(|i| (0..10).contains(i)));
    let boundary = drawn(
        &[500],
        &ElementType::I32,
        draw(Class::Boundary, 3),
        &role,
        &mut Random::new(3, 1),
    );
    assert!(boundary.to_i64s().contains(&10) && boundary.to_i64s().contains(&-1));
    let few = |seed: u64| {
        let t = drawn(
            &[1],
            &ElementType::I32,
            draw(Class::Boundary, seed),
            &role,
            &mut Random::new(seed, 1),
        );
        t.to_i64s()[0]
    };
    let met: BTreeSet<i64> = (0..60).map(few).collect();
    assert!(met.contains(&9) && met.contains(&10) && met.contains(&-1));
    let exact = drawn(
        &[500],
        &ElementType::F32,
        draw(Class::Exact, 1),
        &Role::default(),
        &mut Random::new(3, 1),
    );
    assert!(
        exact
            .to_f64s()
            .iter()
            .all(|v| v.fract() == 0.0 && v.abs() <= 4.0)
    );
}
